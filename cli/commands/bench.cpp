#include "commands/bench.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "commands.h"
#include "core/cpu_topology.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "core/simd.h"
#include "data/generators/shaped_graph.h"
#include "lab/bench/epoch_bench.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/version.h"
#include "shared/arguments.h"
#include "shared/lists.h"
#include "shared/status_line.h"
#include "shared/thread_use.h"

namespace ordered_gnn::cli {
namespace {

struct EpochCommand : OutputFlags {
  std::unique_ptr<RunArguments> arguments;
  std::string shape, parts = "epoch,floor,unfused", trace;
  int64_t repeats = 10;
};

// "N,E,F,C" or "N,E,F,C,DENSITY".
data::GraphShape parse_shape(const std::string& text) {
  std::vector<double> numbers;
  for (const std::string_view field : core::split_fields(text, ',')) {
    const std::string word(core::trimmed(field));
    char* end = nullptr;
    const double value = std::strtod(word.c_str(), &end);
    const bool is_density = numbers.size() == 4;
    const bool fits =
        is_density ? value <= 1 : value < 1e12 && value == std::floor(value);
    const bool good = end != word.c_str() && *end == '\0' && value > 0 && fits;
    numbers.push_back(good ? value : 0);
  }
  const bool all_good =
      std::find(numbers.begin(), numbers.end(), 0.0) == numbers.end();
  if (!all_good || numbers.size() < 4 || numbers.size() > 5) {
    std::vector<std::string> names;
    for (const data::GraphShape& shape : data::paper_shapes())
      names.push_back(shape.name);
    throw UsageError(fmt::format(
        "--shape takes one of {}, or nodes,edges,features,classes[,density] "
        "in whole positive numbers and a density up to 1, not '{}'",
        fmt::join(names, ", "), text));
  }
  const auto whole = [&](size_t i) { return static_cast<int64_t>(numbers[i]); };
  data::GraphShape shape;
  shape.name = text;
  shape.nodes = whole(0);
  shape.edges = whole(1);
  shape.directed = true;
  shape.features = whole(2);
  shape.classes = whole(3);
  if (numbers.size() == 5) shape.density = numbers[4];
  shape.homophily = 0.5;
  return shape;
}

NodeDataset make_data(const EpochCommand& command, RunOptions& options) {
  if (!options.data.data.empty()) {
    if (!command.shape.empty()) {
      throw UsageError("--shape and --data exclude each other");
    }
    return lab::load_for_training(options);
  }
  const std::string name = command.shape.empty() ? "pubmed" : command.shape;
  for (const data::GraphShape& shape : data::paper_shapes()) {
    if (shape.name != name && shape.name != "ogbn-" + name) continue;
    options.data.data = "synthetic:" + shape.name;
    return lab::load_for_training(options);
  }
  data::ShapedGraphOptions generator;
  generator.splits = 1;
  const RawDataset raw =
      data::generate_shaped_graph(parse_shape(name), generator);
  return prepare(raw, resolve_treatment(options.data.treatment, raw));
}

lab::EpochBenchOptions bench_options(const EpochCommand& command) {
  lab::EpochBenchOptions options;
  options.repeats = command.repeats;
  options.trace = command.trace;
  options.floor = options.unfused = false;
  for (const std::string& part : list_words("--parts", command.parts)) {
    if (part == "floor") {
      options.floor = true;
    } else if (part == "unfused") {
      options.unfused = true;
    } else if (part != "epoch") {
      throw UsageError(fmt::format(
          "--parts takes a list of epoch, floor and unfused, not '{}'", part));
    }
  }
  return options;
}

template <typename T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// Milliseconds at best by threads; null without a trace.
Json forecasts_json(const lab::EpochBench& bench) {
  if (!bench.trace) return nullptr;
  Json out = Json::object();
  for (const lab::ThreadForecast& forecast : bench.trace->forecasts) {
    out[std::to_string(forecast.threads)] = forecast.ms;
  }
  return out;
}

Json pieces_json(const lab::EpochBench& bench) {
  if (!bench.trace) return nullptr;
  Json out = Json::array();
  for (const lab::SerialPiece& piece : bench.trace->pieces) {
    out.push_back({{"op", piece.op}, {"ms", piece.ms}});
  }
  return out;
}

Json bench_json(const EpochCommand& command, const RunOptions& run,
                const NodeDataset& data, const lab::EpochBench& bench) {
  return {{"shape", command.shape.empty() ? data.name : command.shape},
          {"layers", run.network.layers},
          {"device", to_string(run.execution.device)},
          {"math", to_string(run.execution.math)},
          {"threads", num_threads()},
          {"topology", core::topology().text()},
          {"ms_per_epoch", bench.ms_per_epoch},
          {"ms_gemm_floor", or_null(bench.ms_gemm_floor)},
          {"ms_unfused", or_null(bench.ms_unfused)},
          {"ms_own_products", or_null(bench.ms_own_products)},
          {"ms_floor", or_null(bench.ms_floor)},
          {"copy_bytes_per_second", or_null(bench.copy_bytes_per_second)},
          {"peak_bytes", bench.peak_bytes},
          {"base_bytes", bench.base_bytes},
          {"unfused_peak_bytes", or_null(bench.unfused_peak_bytes)},
          {"serial_share",
           bench.trace ? Json(bench.trace->serial_share) : Json(nullptr)},
          {"forecasts", forecasts_json(bench)},
          {"serial_pieces", pieces_json(bench)},
          {"gemm_gflop", bench.gemm_flop / 1e9},
          {"simd", to_string(core::simd_level())},
          {"blas", blas_name()},
          {"nodes", data.num_nodes()},
          {"edges", data.graph.num_edges()},
          {"features", data.features.num_features()},
          {"classes", data.num_classes},
          {"repeats", command.repeats},
          {"config", to_json(run)},
          {"version", kVersion},
          {"commit", kCommit}};
}

// Epochs of a GPU are shorter than a millisecond.
std::string milliseconds(double ms) {
  return ms < 10 ? fmt::format("{:.3f} ms", ms) : fmt::format("{:.1f} ms", ms);
}

template <typename Line>
void print_trace(const lab::TraceSummary& trace, const Line& line) {
  line("on one thread alone",
       fmt::format("{:.1f} % of a traced epoch", 100 * trace.serial_share));
  std::string best;
  for (const lab::ThreadForecast& forecast : trace.forecasts) {
    best += fmt::format("{}{}: {}", best.empty() ? "" : ", ", forecast.threads,
                        milliseconds(forecast.ms));
  }
  line("at best, by threads", best);
  std::string pieces;
  for (const lab::SerialPiece& piece : trace.pieces) {
    pieces += fmt::format("{}{} {}", pieces.empty() ? "" : ", ",
                          piece.op.empty() ? "between ops" : piece.op,
                          milliseconds(piece.ms));
  }
  line("longest serial pieces", pieces);
}

void print_bench(const RunOptions& run, const NodeDataset& data,
                 const lab::EpochBench& bench) {
  const auto line = [](const char* name, const std::string& text) {
    std::cout << fmt::format("{:<22}{}\n", name, text);
  };
  line("graph", fmt::format("{}: {} nodes, {} edges, {} features, {} classes",
                            data.name, data.num_nodes(), data.graph.num_edges(),
                            data.features.num_features(), data.num_classes));
  line("network",
       fmt::format("{} layers of width {}, {} gates, {} input layers",
                   run.network.layers, run.network.hidden,
                   run.network.hidden / run.network.chunk,
                   run.network.mlp_layers));
  line("machine", run.execution.device == Device::cpu
                      ? fmt::format("cpu, {} threads, {}, {}", num_threads(),
                                    to_string(core::simd_level()), blas_name())
                      : fmt::format("{}, {}", to_string(run.execution.device),
                                    to_string(run.execution.math)));
  line("epoch", milliseconds(bench.ms_per_epoch));
  if (bench.ms_gemm_floor) {
    line("matrix products alone",
         fmt::format("{} ({:.1f} GFLOP): epoch / products = {:.2f}",
                     milliseconds(*bench.ms_gemm_floor), bench.gemm_flop / 1e9,
                     bench.ms_per_epoch / *bench.ms_gemm_floor));
  }
  if (bench.ms_own_products) {
    line("by our own kernels", milliseconds(*bench.ms_own_products));
  }
  if (bench.ms_floor) {
    line("products and moves",
         fmt::format("{} at {:.2f} TB/s: epoch / floor = {:.2f}",
                     milliseconds(*bench.ms_floor),
                     *bench.copy_bytes_per_second / 1e12,
                     bench.ms_per_epoch / *bench.ms_floor));
  }
  if (bench.ms_unfused) {
    line("LibTorch's own ops",
         fmt::format("{}: {:.2f} times the epoch",
                     milliseconds(*bench.ms_unfused),
                     *bench.ms_unfused / bench.ms_per_epoch));
  }
  if (bench.trace) print_trace(*bench.trace, line);
  line("peak memory",
       fmt::format("{} ({} before the model was made)",
                   bytes_text(bench.peak_bytes), bytes_text(bench.base_bytes)));
}

void run_epoch_bench(const EpochCommand& command) {
  RunOptions run = run_options_from_layers({command.arguments->values()});
  validate(run);
  if (!command.trace.empty() && run.execution.device == Device::cuda) {
    throw UsageError("--trace is for the CPU; leave out --device cuda");
  }
  warn_unread(*command.arguments, run);
  lab::EpochBenchOptions options = bench_options(command);
  use_threads(run.execution);
  StatusLine status(command.quiet || command.json);
  status.show("making the graph");
  const NodeDataset data = make_data(command, run);
  const std::string threads = use_threads_for(data, run);
  if (run.execution.threads == 0) status.print(threads);
  status.show(fmt::format("timing {} epochs", command.repeats));
  options.run = run;
  const lab::EpochBench bench = lab::bench_epoch(data, options);
  if (command.json) {
    std::cout << bench_json(command, run, data, bench).dump(2) << '\n';
  } else {
    print_bench(run, data, bench);
  }
}

}  // namespace

void add_bench(CLI::App& app) {
  auto command = std::make_shared<EpochCommand>();
  CLI::App& bench =
      *app.add_subcommand("bench", "Time training against its floor");
  bench.require_subcommand(0, 1);
  CLI::App& sub = *bench.add_subcommand(
      "epoch", "Time an epoch, its matrix products and LibTorch's own ops");
  sub.add_option("--shape", command->shape,
                 "graph to generate: a dataset's name (pubmed, actor, arxiv, "
                 "...) or nodes,edges,features,classes[,density]")
      ->type_name("SHAPE");
  sub.add_option("--repeats", command->repeats, "timed epochs")
      ->type_name("INT")
      ->check(CLI::Range(1, 100000));
  sub.add_option("--parts", command->parts,
                 "what to time: epoch, floor, unfused (on the CPU)")
      ->type_name("LIST");
  sub.add_option("--trace", command->trace,
                 "write what ran when in one more epoch, op by op and thread "
                 "by thread, for chrome://tracing or ui.perfetto.dev")
      ->type_name("FILE");
  add_output_flags(sub, *command, "print one JSON object", kNoProgress);
  command->arguments = std::make_unique<RunArguments>(
      sub, std::vector<std::string>{"Data", "Model", "Training", "Execution"},
      std::vector<std::string>{"workers"});
  sub.footer(
      "Times are medians. The floor is the epoch's matrix products alone; "
      "OGNN_SIMD=baseline|avx2|avx512|avx512_bf16|amx forces the kernels.\n"
      "Examples:\n"
      "  ognn bench epoch --shape pubmed --layers 8 --mlp-layers 3\n"
      "  ognn bench epoch --shape 100000,1000000,128,10 --parts epoch --json");
  call_on(sub, command, run_epoch_bench);
  add_new_nodes_bench(bench);
  add_scale_bench(bench);
  bench.callback([&bench] {
    if (bench.get_subcommands().empty()) {
      throw UsageError(
          "'ognn bench' needs a subcommand: epoch, new-nodes, scale");
    }
  });
}

}  // namespace ordered_gnn::cli
