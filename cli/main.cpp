#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>
#include <new>

#include "commands.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/help_text.h"
#include "shared/terminal.h"

namespace {

using ordered_gnn::UsageError;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

void describe(CLI::App& app) {
  app.name("ognn");
  app.set_help_flag("-h,--help", "show this help and stop");
  ordered_gnn::cli::use_help_text(app);
  app.set_version_flag(
      "--version",
      fmt::format("ognn {} ({})", ordered_gnn::kVersion, ordered_gnn::kCommit),
      "show the version and stop");
  app.require_subcommand(0, 1);
  app.allow_extras();
  app.footer(
      "Start here:\n"
      "  ognn demo                                   three models, two graphs\n"
      "  ognn data list                              what can be trained on\n"
      "  ognn train --data texas --out runs/texas    train and save\n"
      "  ognn predict --checkpoint runs/texas/split-0/model.safetensors "
      "--out pred.csv\n"
      "  ognn help train                             options of a command\n"
      "Exit status: 0 done, 1 failed, 2 wrong usage.");
}

void run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    ordered_gnn::cli::refuse_extras(app);
  } catch (const CLI::Success& success) {
    app.exit(success);
    return;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int main(int argc, char** argv) {
  namespace cli = ordered_gnn::cli;
  ordered_gnn::use_recycling_allocator();
  // The process is ours: LibTorch stays serial between calls, too.
  const ordered_gnn::ThreadScope serial_torch;
  cli::remember_command(argc, argv);
  CLI::App app(
      "Node classification with the Ordered GNN, on graphs whose neighbours "
      "agree or disagree.");
  describe(app);
  cli::add_train(app);
  cli::add_predict(app);
  cli::add_evaluate(app);
  cli::add_explain(app);
  cli::add_run_report(app);
  cli::add_tune(app);
  cli::add_sweep(app);
  cli::add_compare(app);
  cli::add_data(app);
  cli::add_models(app);
  cli::add_demo(app);
  cli::add_bench(app);
  cli::add_reproduce(app);
  cli::add_completion(app);
  cli::add_help(app);
  const auto say = [](const std::string& message) {
    std::fflush(stdout);
    std::cerr << cli::inked(cli::Ink::error,
                            "ognn:", cli::wants_colours(cli::Stream::err))
              << ' ' << message << '\n';
  };
  try {
    if (argc == 1) {
      std::cout << app.help();
      return kExitUsage;
    }
    run(app, argc, argv);
    std::cout.flush();
    if (!std::cout) throw ordered_gnn::Error("cannot write to standard output");
    return EXIT_SUCCESS;
  } catch (const UsageError& error) {
    say(error.what());
    const CLI::App& command = cli::parsed_command(app);
    std::cerr << "Try '" << cli::full_name(command) << " --help'.\n";
    return kExitUsage;
  } catch (const ordered_gnn::Error& error) {
    say(error.what());
  } catch (const c10::Error& error) {
    say(error.what_without_backtrace());
  } catch (const std::bad_alloc&) {
    say("out of memory; use a smaller graph, fewer --layers or a smaller "
        "--hidden");
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kExitFailed;
}
