#include "lab/runs/demo.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "commands.h"
#include "core/io/file.h"
#include "lab/page/demo_page.h"
#include "lab/page/explanation_page.h"
#include "ordered_gnn/core/parallel.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/progress.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

struct DemoCommand : OutputFlags {
  std::string out;
  int64_t epochs = 0;
};

std::filesystem::path cell_folder(const DemoCommand& command,
                                  const lab::DemoGraph& graph,
                                  const lab::DemoSystem& system) {
  std::string name = graph.name + "-" + system.name;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return std::filesystem::path(command.out) / name;
}

lab::RunSummary run_cell(const DemoCommand& command,
                         const lab::DemoGraph& graph,
                         const lab::DemoSystem& system, Progress& progress) {
  RunOptions options = lab::demo_options(graph, system);
  if (command.epochs > 0) options.train.epochs = command.epochs;
  const NodeDataset data = lab::load_for_training(options);
  progress.set_title(fmt::format("{} / {}", graph.name, system.name));
  lab::SplitsHooks hooks;
  if (!command.out.empty()) {
    hooks.folder = cell_folder(command, graph, system);
    hooks.existing = lab::ExistingOutput::overwrite;
  }
  hooks.command = command_line();
  hooks.on_note = [](const std::string& note) { tell({note}); };
  hooks.on_epoch = [&](const EpochReport& report) { progress.epoch(report); };
  hooks.on_split = [&](const RunResult& run, int64_t, int64_t) {
    progress.forget(run.split);
  };
  return lab::run_splits(data, options, hooks);
}

std::filesystem::path page_file(const DemoCommand& command) {
  return std::filesystem::path(command.out) / "report.html";
}

void write_page(const DemoCommand& command, const lab::Page& page) {
  core::write_file(page_file(command), lab::html_page(page));
  lab::write_figures(page.sections,
                     std::filesystem::path(command.out) / "plots");
}

void run_demo(const DemoCommand& command) {
  Progress progress(command.quiet);
  std::vector<std::string> header = {"test accuracy, %"};
  for (const lab::DemoGraph& graph : lab::demo_graphs())
    header.push_back(graph.name);
  Table table(header);
  Json json = Json::array();
  double seconds = 0;
  std::vector<lab::DemoCell> cells;
  for (const lab::DemoSystem& system : lab::demo_systems()) {
    std::vector<std::string> row = {system.name};
    for (const lab::DemoGraph& graph : lab::demo_graphs()) {
      const lab::RunSummary summary =
          run_cell(command, graph, system, progress);
      row.push_back(
          mean_text(summary.test_mean, summary.test_std, summary.runs.size()));
      for (const RunResult& run : summary.runs) seconds += run.seconds;
      cells.push_back({system.name, graph.name, summary.test_mean,
                       summary.test_std, cell_folder(command, graph, system)});
      json.push_back({{"system", system.name},
                      {"graph", graph.name},
                      {"spec", graph.spec},
                      {"test_mean", summary.test_mean},
                      {"test_std", summary.test_std}});
    }
    table.add(row);
  }
  if (!command.out.empty()) write_page(command, lab::demo_page(cells));
  if (command.json) {
    std::cout << json.dump(2) << '\n';
    return;
  }
  std::cout << '\n' << table.text() << '\n';
  for (const lab::DemoGraph& graph : lab::demo_graphs()) {
    std::cout << fmt::format("{}: {}\n  {}\n", graph.name, graph.story,
                             graph.spec);
  }
  std::cout << fmt::format(
      "Three splits each, the same hyper-parameters for all, best epoch chosen "
      "on validation.\nTraining took {:.0f} s on {} threads.\n",
      seconds, num_threads());
  if (!command.out.empty()) {
    std::cout << fmt::format(
        "Checkpoints and curves are in {}.\n"
        "What the Ordered GNN does is on the page {}; open it in a browser.\n",
        command.out, std::filesystem::absolute(page_file(command)).string());
  }
}

}  // namespace

void add_demo(CLI::App& app) {
  auto command = std::make_shared<DemoCommand>();
  CLI::App& sub = *app.add_subcommand(
      "demo", "Compare three models on two generated graphs");
  sub.add_option("--out", command->out, "folder to keep the runs in")
      ->type_name("DIR");
  sub.add_option("--epochs", command->epochs, "most epochs of a run")
      ->type_name("INT")
      ->check(CLI::PositiveNumber);
  add_output_flags(sub, *command, "print an array of results", kNoProgress);
  add_max_memory(sub);
  sub.footer("Example:\n  ognn demo --out demo-out");
  call_on(sub, command, run_demo);
}

}  // namespace ordered_gnn::cli
