#include <ATen/Functions.h>
#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <utility>

#include "commands.h"
#include "commands/data.h"
#include "data/load_dataset.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/registry.h"
#include "scale/parts/assign.h"
#include "scale/parts/estimate.h"
#include "scale/parts/streamed.h"
#include "scale/parts/writer.h"
#include "shared/arguments.h"
#include "shared/speech.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

struct PartitionCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string spec;
  int64_t parts = 0;
  std::string out;
  std::string method = scale::default_method();
  int64_t ranks = 0;
  ModelOptions network;
  int64_t eval_every = 1;
  bool force = false;
};

struct Partition {
  scale::PartsManifest manifest;
  scale::HaloRows all_parts;  // every part a rank of its own
  scale::ScaleEstimate cost;
  int64_t epoch_bytes = 0;  // on the wire, on the average
};

double ratio(const Partition& result) {
  return static_cast<double>(result.all_parts.in) /
         static_cast<double>(result.manifest.num_nodes);
}

void print_text(const PartitionCommand& command, const Partition& result) {
  const scale::PartsManifest& manifest = result.manifest;
  Table table({"part", "nodes", "messages", "from other parts", "halo nodes"});
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    const scale::PartSize& part = manifest.parts[p];
    table.add({std::to_string(p), std::to_string(manifest.rows_of(p)),
               std::to_string(part.in_edges), std::to_string(part.cut_edges),
               std::to_string(part.in_halo)});
  }
  const scale::ScaleEstimate& cost = result.cost;
  std::cout << table.text()
            << fmt::format(
                   "{}: {} parts of '{}' by {}, {} nodes, {} messages\n"
                   "halo ratio H/N {:.4f}: a layer needs {} rows of other "
                   "parts\n"
                   "predicted for {} ranks, ordered_gnn, {} layers of width "
                   "{}:\n"
                   "  on the wire per epoch {} (training {}, evaluation {}{})\n"
                   "  memory of the largest rank {}\n",
                   command.out, manifest.num_parts(), manifest.name,
                   manifest.method, manifest.num_nodes, manifest.num_edges,
                   ratio(result), result.all_parts.in, cost.ranks,
                   command.network.layers, command.network.hidden,
                   bytes_text(result.epoch_bytes), bytes_text(cost.train_bytes),
                   bytes_text(cost.eval_bytes),
                   command.eval_every == 1
                       ? ""
                       : fmt::format(" every {} epochs", command.eval_every),
                   bytes_text(cost.rank_memory));
}

void print_json(const PartitionCommand& command, const Partition& result) {
  const scale::PartsManifest& manifest = result.manifest;
  const scale::ScaleEstimate& cost = result.cost;
  const Json json = {{"out", command.out},
                     {"name", manifest.name},
                     {"parts", manifest.num_parts()},
                     {"method", manifest.method},
                     {"num_nodes", manifest.num_nodes},
                     {"num_edges", manifest.num_edges},
                     {"halo_rows", result.all_parts.in},
                     {"halo_ratio", ratio(result)},
                     {"ranks", cost.ranks},
                     {"rank_halo_rows", cost.halo.in},
                     {"layers", command.network.layers},
                     {"hidden", command.network.hidden},
                     {"train_bytes", cost.train_bytes},
                     {"eval_bytes", cost.eval_bytes},
                     {"eval_every", command.eval_every},
                     {"bytes_per_epoch", result.epoch_bytes},
                     {"memory_per_rank", cost.rank_memory},
                     {"fingerprint", scale::parts_fingerprint(manifest)}};
  std::cout << json.dump(2) << '\n';
}

void require_complete(const PartitionCommand& command) {
  if (command.parts < 1) {
    throw UsageError("say how many parts to make: --parts P, at least 1");
  }
  if (command.eval_every < 1) {
    throw UsageError(
        fmt::format("--eval-every {}: expected 1 or more", command.eval_every));
  }
  if (command.out.empty()) {
    throw UsageError("no output given; add --out FOLDER, such as g.parts");
  }
}

void say_names_go(const PartitionCommand& command) {
  if (command.quiet) return;
  say("names of nodes are not kept: predictions over parts number them");
}

// Cut without ever being in memory; nothing where it has to be read whole.
std::optional<Partition> cut_streamed(const PartitionCommand& command,
                                      DataOptions data) {
  if (command.method != "stream") return std::nullopt;
  scale::StreamedCut cut;
  cut.parts = command.parts;
  cut.ranks = command.ranks;
  cut.treatment = data.treatment;
  cut.folder = command.out;
  cut.replace = command.force;
  std::string why_not;
  const auto source = data::open_training_dataset(data, why_not);
  if (source) why_not = scale::why_not_streamed(*source, cut);
  if (!why_not.empty()) {
    if (!command.quiet)
      say("the graph is in memory while it is cut: " + why_not);
    return std::nullopt;
  }
  if (!source->nodes().node_names.empty() || source->names_are_its_own()) {
    say_names_go(command);
  }
  const scale::StreamedParts parts = scale::write_streamed(*source, cut);
  Partition result;
  result.manifest = parts.manifest;
  result.all_parts = parts.all_parts;
  result.cost = scale::estimate(
      parts.manifest, parts.halo,
      command.ranks > 0 ? command.ranks : command.parts, command.network);
  return result;
}

Partition cut_in_memory(const PartitionCommand& command, DataOptions& options) {
  const NodeDataset data = load_training_dataset(options);
  if (!data.node_names.empty()) say_names_go(command);
  const scale::Assignment assignment =
      scale::assign_parts(data, command.parts, command.method);
  const scale::PartsPlan plan = scale::make_plan(assignment, command.parts);
  const int64_t ranks = command.ranks > 0 ? command.ranks : command.parts;
  Partition result;
  const at::Tensor trained =
      data.splits.empty() ? at::empty({0}, at::kLong) : data.splits[0].train;
  result.all_parts = scale::halo_rows(data.graph, plan, command.parts, trained);
  const scale::HaloRows halo =
      scale::halo_rows(data.graph, plan, ranks, trained);
  result.manifest =
      scale::write_parts(data, assignment, command.parts, command.method,
                         command.out, command.force);
  result.cost = scale::estimate(result.manifest, halo, ranks, command.network);
  return result;
}

void run_partition(const PartitionCommand& command) {
  RunOptions options = data_options(*command.arguments, command.spec);
  require_complete(command);
  scale::require_part_count(command.parts);
  scale::require_free_folder(command.out, command.force);
  const ThreadScope threads;
  std::optional<Partition> streamed = cut_streamed(command, options.data);
  Partition result =
      streamed ? std::move(*streamed) : cut_in_memory(command, options.data);
  result.epoch_bytes =
      result.cost.train_bytes + result.cost.eval_bytes / command.eval_every;
  if (command.json) {
    print_json(command, result);
  } else if (!command.quiet) {
    print_text(command, result);
  }
}

}  // namespace

void add_partition(CLI::App& app) {
  auto command = std::make_shared<PartitionCommand>();
  CLI::App& sub = *app.add_subcommand(
      "partition", "Cut a graph into parts that several ranks train on");
  sub.add_option("DATASET", command->spec, "name, path or synthetic:NAME");
  command->arguments =
      std::make_unique<RunArguments>(sub, std::vector<std::string>{"Data"});
  sub.add_option("--parts", command->parts,
                 "how many parts; as many ranks can share them, or fewer")
      ->type_name("P");
  sub.add_option("--out", command->out, "folder for the parts")
      ->type_name("DIR");
  sub.add_option("--method", command->method,
                 "metis (few messages between parts), stream (greedy, little "
                 "memory: OGB folders and CSV folders of numbers are never in "
                 "memory as a whole) or a file with the part of every node")
      ->type_name("NAME|FILE")
      ->capture_default_str();
  sub.add_option("--ranks", command->ranks,
                 "ranks that the prediction is for (default: one per part)")
      ->type_name("W");
  sub.add_option("--layers", command->network.layers,
                 "layers that the prediction is for")
      ->capture_default_str();
  sub.add_option("--hidden", command->network.hidden,
                 "width that the prediction is for")
      ->capture_default_str();
  sub.add_option("--dropout-xi", command->network.dropout_xi,
                 "dropout between layers that the prediction is for: only "
                 "kept elements of rows travel in training")
      ->check(CLI::Range(0.0, 0.999))
      ->capture_default_str();
  sub.add_option("--eval-every", command->eval_every,
                 "epochs between evaluations that the prediction is for")
      ->capture_default_str();
  sub.add_flag("--force", command->force, "replace parts that are there");
  add_output_flags(sub, *command, "print one JSON object",
                   "do not say what was written");
  add_max_memory(sub);
  sub.footer(
      "Direction, loops, features and splits are fixed by the parts: give them "
      "here.\n"
      "Examples:\n"
      "  ognn partition cora --parts 4 --out cora.parts\n"
      "  ognn partition my_graph.npz --parts 64 --method stream --out g.parts\n"
      "  ognn partition g.npz --parts 8 --method g.metis.part.8 --out g.parts");
  call_on(sub, command, run_partition);
}

}  // namespace ordered_gnn::cli
