#include <fmt/format.h>

#include <iostream>
#include <memory>
#include <optional>
#include <string>

#include "commands/bench.h"
#include "core/simd.h"
#include "lab/bench/scale_bench.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"
#include "scale/ranks/parts_run.h"
#include "shared/arguments.h"
#include "shared/status_line.h"

namespace ordered_gnn::cli {
namespace {

struct ScaleCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string shape, data, wire = "fp32";
  int64_t ranks = 0, rank = 0, parts = 0, scale = 0;
  int64_t epochs = 3, eval_every = 1;
  double halo_ratio = 0, bandwidth = 10, latency = 50;
};

// What was measured, and what follows from it.
struct ScaleResult {
  std::string name;
  lab::ScaleBenchOptions options;
  std::optional<double> halo_ratio;  // as assumed; of drawn ranks
  int64_t predicted_bytes = 0;       // of the whole rank; of drawn ranks
  std::optional<lab::EngineCost> engine;
  std::string no_engine;  // why it could not be timed
  lab::RankCost cost;
  lab::ModelledEpoch epoch;
};

lab::ScaleBenchOptions scale_options(const ScaleCommand& command) {
  lab::ScaleBenchOptions options;
  options.run = run_options_from_layers({command.arguments->values()});
  validate(options.run);
  options.wire = scale::parse_wire(command.wire);
  options.epochs = command.epochs;
  options.eval_every = command.eval_every;
  options.gbit = command.bandwidth;
  options.latency = command.latency * 1e-6;
  options.drawn.ranks = command.ranks;
  options.drawn.rank = command.rank;
  options.drawn.parts = command.parts > 0 ? command.parts : 4 * command.ranks;
  if (command.ranks < 2) {
    throw UsageError(
        "--ranks W: say how many ranks share the graph, at least 2; what one "
        "alone takes is timed by 'ognn bench epoch'");
  }
  if (command.rank < 0 || command.rank >= command.ranks) {
    throw UsageError(fmt::format("--rank {}: ranks are numbered from 0 to {}",
                                 command.rank, command.ranks - 1));
  }
  return options;
}

void require_one_source(const ScaleCommand& command) {
  if (command.shape.empty() == command.data.empty()) {
    throw UsageError(
        "give either --shape, a graph of which one rank is drawn, or --data, a "
        "folder of parts of which one rank is taken");
  }
  if (command.data.empty()) return;
  if (!scale::is_parts_folder(command.data)) {
    throw UsageError(fmt::format(
        "--data {}: no folder of parts; make one with 'ognn partition'",
        command.data));
  }
  if (command.parts > 0 || command.scale > 0 || command.halo_ratio > 0) {
    throw UsageError(
        "--parts, --scale and --halo-ratio are of drawn ranks, and --data has "
        "parts of its own; leave them out");
  }
}

// Where there is no Gloo, or no loopback interface, the model does without.
void measure_engine_cost(ScaleResult& result, StatusLine& status) {
  status.show("timing the engine");
  try {
    result.engine = lab::measure_engine();
    if (!result.engine) result.no_engine = "this build has no Gloo";
  } catch (const Error& error) {
    result.no_engine = error.what();
  }
  if (result.engine) result.options.engine = *result.engine;
}

ScaleResult measure_parts(const ScaleCommand& command, StatusLine& status) {
  ScaleResult result;
  result.options = scale_options(command);
  const scale::PartsManifest manifest = scale::read_manifest(command.data);
  result.name = manifest.name;
  scale::require_parts_options(result.options.run, manifest);
  scale::rank_bounds(manifest.bounds, command.ranks);
  result.options.drawn.parts = manifest.num_parts();
  status.show(fmt::format("training rank {}", command.rank));
  result.cost = lab::measure_rank(command.data, result.options);
  return result;
}

ScaleResult measure_shape(const ScaleCommand& command, StatusLine& status) {
  ScaleResult result;
  result.options = scale_options(command);
  lab::RankedShape shape = lab::find_ranked_shape(command.shape);
  if (command.halo_ratio > 0) shape.halo_ratio = command.halo_ratio;
  result.name = shape.name;
  result.halo_ratio = shape.halo_ratio;
  const lab::DrawnRank whole(shape, result.options.drawn);
  scale::require_parts_options(result.options.run, whole.manifest());
  result.predicted_bytes =
      lab::rank_bytes(whole, result.options) - 2 * whole.list_bytes();
  result.options.drawn.scale = command.scale > 0
                                   ? command.scale
                                   : lab::fitting_scale(shape, result.options);
  status.show(fmt::format("drawing and training rank {}", command.rank));
  lab::DrawnRank drawn(shape, result.options.drawn);
  result.cost = lab::measure_rank(drawn, result.options);
  return result;
}

Json scale_json(const ScaleCommand& command, const ScaleResult& result) {
  const lab::RankCost& cost = result.cost;
  const lab::ModelledEpoch& epoch = result.epoch;
  const lab::DrawnRankOptions& drawn = result.options.drawn;
  return {
      {"graph", result.name},
      {"ranks", drawn.ranks},
      {"rank", drawn.rank},
      {"parts", drawn.parts},
      {"scale", drawn.scale},
      {"wire", command.wire},
      {"halo_ratio",
       result.halo_ratio ? Json(*result.halo_ratio) : Json(nullptr)},
      {"threads", num_threads()},
      {"measured",
       {{"nodes", cost.nodes},
        {"messages", cost.messages},
        {"halo_rows", cost.halo},
        {"train_seconds", cost.train.seconds},
        {"eval_seconds", cost.eval.seconds},
        {"train_cpu_seconds", cost.train.cpu},
        {"eval_cpu_seconds", cost.eval.cpu},
        {"train_bytes_sent", cost.train.sent},
        {"train_bytes_received", cost.train.received},
        {"eval_bytes_sent", cost.eval.sent},
        {"eval_bytes_received", cost.eval.received},
        {"train_messages", cost.train.messages},
        {"eval_messages", cost.eval.messages},
        {"engine_us_per_message", result.engine
                                      ? Json(1e6 * result.engine->per_message)
                                      : Json(nullptr)},
        {"engine_ns_per_byte",
         result.engine ? Json(1e9 * result.engine->per_byte) : Json(nullptr)},
        {"peak_bytes", cost.peak_bytes}}},
      {"modelled",
       {{"compute_seconds", epoch.compute},
        {"engine_cpu_seconds",
         result.engine ? Json(epoch.engine) : Json(nullptr)},
        {"row_seconds", epoch.rows},
        {"gradient_seconds", epoch.gradients},
        {"epoch_seconds", epoch.hidden()},
        {"epoch_seconds_nothing_hidden", epoch.exposed()},
        {"bytes_sent", epoch.sent},
        {"bytes_received", epoch.received},
        {"memory_bytes", result.predicted_bytes > 0
                             ? Json(result.predicted_bytes)
                             : Json(nullptr)},
        {"bandwidth_gbit", command.bandwidth},
        {"latency_us", command.latency},
        {"eval_every", command.eval_every}}},
      {"simd", to_string(core::simd_level())},
      {"config", to_json(result.options.run)},
      {"version", kVersion},
      {"commit", kCommit}};
}

std::string whole_bytes(double bytes) {
  return bytes_text(static_cast<int64_t>(bytes));
}

void print_scale(const ScaleCommand& command, const ScaleResult& result) {
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("{:<22}{}\n", name, text);
  };
  const lab::RankCost& cost = result.cost;
  const lab::ModelledEpoch& epoch = result.epoch;
  const lab::DrawnRankOptions& drawn = result.options.drawn;
  line("graph", fmt::format("{}{}, {} parts on {} ranks", result.name,
                            result.halo_ratio ? " (drawn)" : "", drawn.parts,
                            drawn.ranks));
  line("network",
       fmt::format("{}, {} layers of width {}", result.options.run.model,
                   result.options.run.network.layers,
                   result.options.run.network.hidden));
  line("measured",
       fmt::format("rank {}{}: {} nodes, {} messages, {} rows sent per layer",
                   drawn.rank,
                   drawn.scale > 1
                       ? fmt::format(" at 1/{} of its size", drawn.scale)
                       : "",
                   cost.nodes, cost.messages, cost.halo));
  line("  training step",
       fmt::format("{:.3f} s, {:.3f} s of CPU ({} threads)", cost.train.seconds,
                   cost.train.cpu, num_threads()));
  line("  evaluation", fmt::format("{:.3f} s, {:.3f} s of CPU",
                                   cost.eval.seconds, cost.eval.cpu));
  line("  peak memory", bytes_text(cost.peak_bytes));
  if (result.engine) {
    line("  engine",
         fmt::format("{:.0f} us for a message and {:.2f} ns for a byte, of "
                     "CPU, both ends (gloo on loopback)",
                     1e6 * result.engine->per_message,
                     1e9 * result.engine->per_byte));
  } else {
    line("  engine", "left out: " + result.no_engine);
  }
  if (result.halo_ratio) {
    line("assumed",
         fmt::format("halo ratio {} (rows of other ranks by its own)",
                     *result.halo_ratio));
  }
  line("modelled",
       fmt::format("epoch of the whole rank at {} Gbit/s and {} us{}",
                   command.bandwidth, command.latency,
                   command.eval_every > 1
                       ? fmt::format(", evaluated every {}", command.eval_every)
                       : ""));
  line("  compute",
       result.engine
           ? fmt::format("{:.3f} s, and {:.3f} s of CPU for the engine",
                         epoch.compute, epoch.engine)
           : fmt::format("{:.3f} s, without the engine", epoch.compute));
  line("  on the wire",
       fmt::format("{} sent, {} received: {:.3f} s", whole_bytes(epoch.sent),
                   whole_bytes(epoch.received), epoch.rows));
  line("  gradients", fmt::format("{:.4f} s", epoch.gradients));
  line("  epoch", fmt::format("{:.3f} s (rows hidden behind computation) to "
                              "{:.3f} s (nothing hidden)",
                              epoch.hidden(), epoch.exposed()));
  if (result.predicted_bytes > 0) {
    line("  memory of the rank", bytes_text(result.predicted_bytes));
  }
}

void run_scale_bench(const ScaleCommand& command) {
  require_one_source(command);
  set_num_threads(
      static_cast<int>(run_options_from_layers({command.arguments->values()})
                           .execution.threads));
  StatusLine status(command.quiet || command.json);
  ScaleResult result = command.data.empty() ? measure_shape(command, status)
                                            : measure_parts(command, status);
  measure_engine_cost(result, status);
  warn_unread(*command.arguments, result.options.run);
  result.epoch =
      lab::model_epoch(result.cost, result.options.drawn.scale, result.options);
  if (command.json) {
    std::cout << scale_json(command, result).dump(2) << '\n';
  } else {
    print_scale(command, result);
  }
}

}  // namespace

void add_scale_bench(CLI::App& bench) {
  auto command = std::make_shared<ScaleCommand>();
  CLI::App& sub = *bench.add_subcommand(
      "scale", "Model an epoch of many ranks by one of them");
  sub.add_option("--shape", command->shape,
                 "graph of which a rank is drawn: ogbn-products, papers100M, "
                 "ogbn-arxiv, pubmed or nodes,edges,features,classes")
      ->type_name("SHAPE");
  sub.add_option("--data", command->data,
                 "folder of parts of which a rank is taken instead")
      ->type_name("DIR");
  add_number(sub, "--ranks", command->ranks, {1, 250000},
             "ranks that share the graph")
      ->type_name("W");
  sub.add_option("--rank", command->rank, "the one that is computed [0]")
      ->type_name("R");
  add_number(sub, "--parts", command->parts, {1, 1000000},
             "parts of the whole graph (default: 4 for every rank)");
  sub.add_option("--halo-ratio", command->halo_ratio,
                 "rows of other ranks that a layer of a rank hears, by its own "
                 "rows (default: that of the shape, see docs/scale.md)")
      ->type_name("REAL")
      ->check(CLI::Range(1e-6, 1e6));
  add_number(
      sub, "--scale", command->scale, {1, 1 << 20},
      "compute a rank that is smaller by this factor (default: the least "
      "power of two that fits into half of the free memory)");
  sub.add_option("--wire", command->wire, "rows between ranks: fp32 or bf16")
      ->type_name("fp32|bf16")
      ->capture_default_str();
  sub.add_option("--bandwidth", command->bandwidth,
                 "of a rank's link each way, in Gbit/s, for the model")
      ->type_name("REAL")
      ->check(CLI::Range(1e-3, 1e5))
      ->capture_default_str();
  sub.add_option("--latency", command->latency,
                 "between two ranks, in microseconds, for the model")
      ->type_name("REAL")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str();
  add_number(sub, "--epochs", command->epochs, {1, 10000}, "timed epochs [3]");
  add_number(sub, "--eval-every", command->eval_every, {1, 1000000000},
             "epochs between evaluations, for the model [1]");
  add_output_flags(sub, *command, "print one JSON object", kNoProgress);
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Model", "Execution"},
      std::vector<std::string>{"workers", "checkpoint-layers", "device", "math",
                               "reorder", "pin", "layout-cache"});
  sub.footer(
      "One rank trains for real, on this machine, while a null engine copies "
      "the bytes that it would exchange; what the network takes is modelled. "
      "benchmarks/scale_model holds that against real runs.\n"
      "Examples:\n"
      "  ognn bench scale --shape papers100M --ranks 256 --rank 5\n"
      "  ognn bench scale --shape ogbn-products --ranks 8 --layers 8 --hidden "
      "64 --wire bf16 --bandwidth 25\n"
      "  ognn bench scale --data g.parts --ranks 4 --rank 1 --threads 1 "
      "--json");
  call_on(sub, command, run_scale_bench);
}

}  // namespace ordered_gnn::cli
