#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <string>

#include "commands/bench.h"
#include "core/names.h"
#include "core/simd.h"
#include "lab/bench/new_nodes_bench.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/version.h"
#include "shared/arguments.h"
#include "shared/status_line.h"
#include "shared/thread_use.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kMillionNodes = "synthetic:csbm?nodes=1000000&splits=0";

struct NewNodesCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  int64_t new_nodes = 100, edges = 5, repeats = 3;
  std::string to = "anywhere";
};

double percent_of_all(const lab::NewNodesBench& bench) {
  return 100 * bench.ms_new / bench.ms_all;
}

void print_json(const NewNodesCommand& command, const RunOptions& run,
                const NodeDataset& data, const lab::NewNodesBench& bench) {
  std::cout << Json{{"data", data.name},
                    {"model", run.model},
                    {"nodes", data.num_nodes()},
                    {"edges", data.graph.num_edges()},
                    {"new_nodes", command.new_nodes},
                    {"new_edges_to", command.to},
                    {"computed_nodes", bench.last.computed_nodes},
                    {"computed_edges", bench.last.computed_edges},
                    {"whole_because", bench.last.whole_because},
                    {"ms_all", bench.ms_all},
                    {"ms_new", bench.ms_new},
                    {"percent_of_all", percent_of_all(bench)},
                    {"difference", bench.difference},
                    {"device", to_string(run.execution.device)},
                    {"threads", num_threads()},
                    {"simd", to_string(core::simd_level())},
                    {"repeats", command.repeats},
                    {"config", to_json(run)},
                    {"version", kVersion},
                    {"commit", kCommit}}
                   .dump(2)
            << '\n';
}

void print_text(const NewNodesCommand& command, const RunOptions& run,
                const NodeDataset& data, const lab::NewNodesBench& bench) {
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("{:<22}{}\n", name, text);
  };
  line("graph", fmt::format("{}: {} nodes, {} edges", data.name,
                            data.num_nodes(), data.graph.num_edges()));
  line("model", run.model);
  line("all nodes", fmt::format("{:.1f} ms", bench.ms_all));
  line("new nodes",
       fmt::format("{:.1f} ms for {}: {:.2f} % of all", bench.ms_new,
                   command.new_nodes, percent_of_all(bench)));
  line("computed",
       bench.last.whole_because.empty()
           ? fmt::format("{} nodes, {} edges", bench.last.computed_nodes,
                         bench.last.computed_edges)
           : "all nodes, because " + bench.last.whole_because);
  line("difference", fmt::format("{:.1e} at most, of logits on the whole graph",
                                 bench.difference));
}

void run_new_nodes_bench(const NewNodesCommand& command) {
  RunOptions run = run_options_from_layers({command.arguments->values()});
  validate(run);
  const auto to = core::parse_enum<lab::NewEdges>(
      "value of --new-edges-to", command.to, {"anywhere", "near"});
  warn_unread(*command.arguments, run);
  use_threads(run.execution);
  StatusLine status(command.quiet || command.json);
  status.show("making the graph");
  if (run.data.data.empty()) run.data.data = kMillionNodes;
  const NodeDataset data = load_dataset(run.data);
  use_threads_for(data, run);
  status.show("timing predictions");
  const lab::NewNodesBench bench = lab::bench_new_nodes(
      data, {run, command.new_nodes, command.edges, to, command.repeats});
  if (command.json) {
    print_json(command, run, data, bench);
  } else {
    print_text(command, run, data, bench);
  }
}

}  // namespace

void add_new_nodes_bench(CLI::App& bench) {
  auto command = std::make_shared<NewNodesCommand>();
  CLI::App& sub = *bench.add_subcommand(
      "new-nodes", "Time predicting new nodes against predicting all");
  add_number(sub, "--new", command->new_nodes, {1, 1000000}, "new nodes");
  add_number(sub, "--new-edges", command->edges, {1, 10000},
             "edges of each of them");
  sub.add_option(
         "--new-edges-to", command->to,
         "whom they know: anywhere, nodes drawn from all; near, a drawn "
         "node and those nearest to it [anywhere]")
      ->type_name("anywhere|near");
  add_number(sub, "--repeats", command->repeats, {1, 1000},
             "timed predictions");
  add_output_flags(sub, *command, "print one JSON object", kNoProgress);
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Model", "Execution"},
      std::vector<std::string>{"reorder", "workers", "checkpoint-layers"});
  sub.footer(
      "Times are medians, after loading. The model is not trained. Without "
      "--data the graph is synthetic:csbm of a million nodes.\n"
      "Examples:\n"
      "  ognn bench new-nodes --layers 2\n"
      "  ognn bench new-nodes --data 'synthetic:small_world?nodes=1000000"
      "&splits=0' --new-edges-to near\n"
      "  ognn bench new-nodes --model gcn --data g.npz --new 10 --json");
  call_on(sub, command, run_new_nodes_bench);
}

}  // namespace ordered_gnn::cli
