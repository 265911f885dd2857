#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/file.h"
#include "lab/page/run_page.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/output_file.h"
#include "shared/speech.h"

namespace ordered_gnn::cli {
namespace {

struct RunReportCommand : OutputFlags {
  std::string folder, out;
  bool force = false;
};

void write_run_page(const RunReportCommand& command) {
  if (command.folder.empty()) {
    throw UsageError(
        "no folder given; add the --out of a train, sweep, compare or "
        "reproduce");
  }
  const lab::RunKind kind = lab::run_kind(command.folder);
  const std::filesystem::path out =
      command.out.empty()
          ? std::filesystem::path(command.folder) / "report.html"
          : std::filesystem::path(command.out);
  require_writable(out, lab::kPageSignature, command.force);
  const std::string page = lab::html_page(lab::run_page(command.folder));
  core::write_file(out, page);
  if (command.json) {
    std::cout << Json{{"kind", to_string(kind)},
                      {"out", out.string()},
                      {"bytes", page.size()}}
                     .dump(2)
              << '\n';
  } else if (!command.quiet) {
    say(fmt::format("the page of this {} is {} ({:.1f} MB)", to_string(kind),
                    out.string(), static_cast<double>(page.size()) / 1e6));
  }
}

}  // namespace

void add_run_report(CLI::App& app) {
  auto command = std::make_shared<RunReportCommand>();
  CLI::App& sub = *app.add_subcommand(
      "report",
      "Write the page of a train, sweep, compare or reproduce folder");
  sub.add_option("folder", command->folder, "the folder that the command wrote")
      ->type_name("DIR");
  sub.add_option("--out", command->out,
                 "page to write; DIR/report.html when not given")
      ->type_name("FILE");
  sub.add_flag("--force", command->force, "replace a file that is not ours");
  add_output_flags(sub, *command, "print what was written as JSON",
                   "say nothing");
  add_max_memory(sub);
  sub.footer(
      "Of a train folder the model of the best split is explained, where its "
      "data can be found.\n"
      "Example:\n  ognn report runs/texas --out texas.html");
  call_on(sub, command, write_run_page);
}

}  // namespace ordered_gnn::cli
