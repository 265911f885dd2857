#include "ordered_gnn/experiment/demo.h"

#include <fmt/format.h>

#include <iostream>
#include <memory>

#include "arguments.h"
#include "command_line.h"
#include "commands.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/page/demo_page.h"
#include "ordered_gnn/page/explanation_page.h"
#include "progress.h"
#include "table.h"

namespace ordered_gnn::cli {
namespace {

struct DemoCommand {
  std::string out;
  int64_t epochs = 0;
  bool json = false;
  bool quiet = false;
};

std::filesystem::path cell_folder(const DemoCommand& command,
                                  const DemoGraph& graph,
                                  const DemoSystem& system) {
  std::string name = graph.name + "-" + system.name;
  for (char& c : name) c = c == ' ' ? '-' : c;
  return std::filesystem::path(command.out) / name;
}

RunSummary run_cell(const DemoCommand& command, const DemoGraph& graph,
                    const DemoSystem& system, Progress& progress) {
  RunOptions options = demo_options(graph, system);
  if (command.epochs > 0) options.train.epochs = command.epochs;
  const NodeDataset data = load_for_training(options);
  progress.set_title(fmt::format("{} / {}: ", graph.name, system.name));
  SplitsHooks hooks;
  if (!command.out.empty()) {
    hooks.folder = cell_folder(command, graph, system);
    hooks.existing = ExistingOutput::overwrite;
  }
  hooks.command = command_line();
  hooks.on_epoch = [&](const EpochReport& report) { progress.epoch(report); };
  hooks.on_split = [&](const RunResult& run, int64_t, int64_t) {
    progress.forget(run.split);
  };
  return run_splits(data, options, hooks);
}

std::filesystem::path page_file(const DemoCommand& command) {
  return std::filesystem::path(command.out) / "report.html";
}

void write_page(const DemoCommand& command, const Page& page) {
  write_file(page_file(command), html_page(page));
  write_figures(page.sections, std::filesystem::path(command.out) / "plots");
}

void run_demo(const DemoCommand& command) {
  Progress progress(command.quiet);
  std::vector<std::string> header = {"test accuracy, %"};
  for (const DemoGraph& graph : demo_graphs()) header.push_back(graph.name);
  Table table(header);
  Json json = Json::array();
  double seconds = 0;
  std::vector<DemoCell> cells;
  for (const DemoSystem& system : demo_systems()) {
    std::vector<std::string> row = {system.name};
    for (const DemoGraph& graph : demo_graphs()) {
      const RunSummary summary = run_cell(command, graph, system, progress);
      row.push_back(fmt::format("{} ± {}", percent(summary.test_mean),
                                percent(summary.test_std)));
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
  if (!command.out.empty()) write_page(command, demo_page(cells));
  if (command.json) {
    std::cout << json.dump(2) << '\n';
    return;
  }
  std::cout << '\n' << table.text() << '\n';
  for (const DemoGraph& graph : demo_graphs()) {
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
  sub.allow_extras();
  sub.add_option("--out", command->out, "folder to keep the runs in")
      ->type_name("DIR");
  sub.add_option("--epochs", command->epochs, "most epochs of a run")
      ->type_name("INT")
      ->check(CLI::PositiveNumber);
  sub.add_flag("--json", command->json, "print an array of results");
  sub.add_flag("--quiet", command->quiet, "no progress on standard error");
  sub.footer("Example:\n  ognn demo --out demo-out");
  sub.callback([command, &sub] {
    refuse_extras(sub);
    run_demo(*command);
  });
}

}  // namespace ordered_gnn::cli
