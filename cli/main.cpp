#include "main.h"

#include <c10/util/Exception.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <iostream>

#include "commands.h"
#include "core/out_of_memory.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/train/train.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/interruption.h"
#include "shared/speech.h"
#include "shared/standard_streams.h"

namespace {

using ordered_gnn::UsageError;

constexpr int kExitFailed = 1;
constexpr int kExitUsage = 2;

void run(CLI::App& app, int argc, char** argv) {
  try {
    app.parse(argc, argv);
    ordered_gnn::cli::refuse_extras(app);
  } catch (const CLI::Success& success) {
    app.exit(success, ordered_gnn::cli::help_output());
    return;
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

int ordered_gnn::cli::run_program(int argc, char** argv) {
  const cli::StandardStreams streams;
  ordered_gnn::use_recycling_allocator();
  // The process is ours: LibTorch stays serial between calls, too.
  const ordered_gnn::ThreadScope serial_torch;
  cli::remember_command(argc, argv);
  CLI::App app;
  cli::add_commands(app);
  const auto say = [](const std::string& message) {
    std::cout.flush();
    cli::say_as_ognn(cli::Ink::error, message);
  };
  try {
    if (argc == 1) {
      cli::help_output() << app.help();
      return kExitUsage;
    }
    ordered_gnn::core::naming_activity("running this command",
                                       [&] { run(app, argc, argv); });
    std::cout.flush();
    if (!std::cout) throw ordered_gnn::Error("cannot write to standard output");
    return EXIT_SUCCESS;
  } catch (const UsageError& error) {
    say(error.what());
    const CLI::App& command = cli::parsed_command(app);
    cli::say(fmt::format("Try '{} --help'.", cli::full_name(command)));
    return kExitUsage;
  } catch (const ordered_gnn::Interrupted&) {
    cli::end_interrupted();
  } catch (const ordered_gnn::Error& error) {
    say(error.what());
  } catch (const c10::Error& error) {
    say(error.what_without_backtrace());
  } catch (const std::exception& error) {
    say(error.what());
  }
  return kExitFailed;
}
