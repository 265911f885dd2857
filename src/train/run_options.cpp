#include "ordered_gnn/train/run_options.h"

#include <ATen/Context.h>
#include <torch/cuda.h>

#include <algorithm>
#include <cstdlib>
#include <mutex>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/loaders.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {
namespace {

using O = RunOptions;

template <typename Part, typename Select>
void append(std::vector<Option<O>>& table,
            const std::vector<Option<Part>>& part, Select select) {
  for (Option<O>& row : lifted<O>(part, select)) {
    table.push_back(std::move(row));
  }
}

std::vector<std::string> with_auto(std::vector<std::string> names) {
  names.insert(names.begin(), "auto");
  return names;
}

std::vector<std::string> format_names() {
  std::vector<std::string> names;
  for (const Loader& loader : loaders()) names.push_back(loader.name);
  return with_auto(names);
}

std::vector<Option<O>> data_rows() {
  const char* const kGroup = "Data";
  return {
      option<O>(
          "data", kGroup, [](O & o) -> auto& { return o.data.data; },
          "a named dataset (see 'ognn data list'), a file or folder, or "
          "synthetic:NAME?key=value&..."),
      execution_only(option<O>(
          "data-root", kGroup, [](O & o) -> auto& { return o.data.data_root; },
          "folder searched first for named datasets, before $OGNN_DATA, "
          "./datasets and the user cache")),
      one_of(option<O>(
                 "format", kGroup, [](O & o) -> auto& { return o.data.format; },
                 "file layout; auto recognises it"),
             format_names()),
      one_of(option<O>(
                 "direction", kGroup,
                 [](O & o) -> auto& { return o.data.direction; },
                 "which way messages flow along stored edges"),
             with_auto({"as_stored", "reversed", "undirected"})),
      one_of(option<O>(
                 "self-loops", kGroup,
                 [](O & o) -> auto& { return o.data.self_loops; },
                 "loops; add gives every node exactly one"),
             with_auto({"keep", "remove", "add"})),
      one_of(option<O>(
                 "features", kGroup,
                 [](O & o) -> auto& { return o.data.features; },
                 "feature treatment; identity uses node ids instead"),
             with_auto({"raw", "row_normalized", "identity"})),
      option<O>(
          "split-set", kGroup, [](O & o) -> auto& { return o.data.split_set; },
          "where splits come from: auto, a set of the format, "
          "random:48/32/20 or stratified:60/20/20x5"),
      in_range(option<O>(
                   "split-seed", kGroup,
                   [](O & o) -> auto& { return o.data.split_seed; },
                   "seed of random splits"),
               0, 9007199254740992.0),
      execution_only(option<O>(
          "splits", "Training", [](O & o) -> auto& { return o.splits; },
          "splits to run: all, or a list such as 0,3,5-7")),
  };
}

std::vector<Option<O>> make_table() {
  std::vector<Option<O>> table = data_rows();
  table.push_back(
      one_of(option<O>(
                 "model", "Model", [](O & o) -> auto& { return o.model; },
                 "model to train, see 'ognn models'"),
             model_names()));
  append(
      table, model_option_table(), [](O & o) -> auto& { return o.network; });
  append(
      table, train_option_table(), [](O & o) -> auto& { return o.train; });
  append(
      table, correct_smooth_option_table(),
      [](O & o) -> auto& { return o.correct_smooth; });
  table.push_back(
      one_of(option<O>(
                 "device", "Execution", [](O & o) -> auto& { return o.device; },
                 "where to compute"),
             {"cpu", "cuda"}));
  table.push_back(
      one_of(option<O>(
                 "math", "Execution", [](O & o) -> auto& { return o.math; },
                 "numbers on a GPU: fp32; tf32 = products of shortened "
                 "factors; bf16 = rows of nodes stored in 16 bits, sums in 32"),
             {"fp32", "tf32", "bf16"}));
  table.push_back(execution_only(in_range(
      option<O>(
          "threads", "Execution", [](O & o) -> auto& { return o.threads; },
          "threads of the kernels; 0 = one per core. Results do not "
          "depend on it"),
      0, 4096)));
  table.push_back(execution_only(in_range(
      option<O>(
          "workers", "Execution", [](O & o) -> auto& { return o.workers; },
          "splits to train at a time, each on one thread, on a GPU each on a "
          "stream (32 at most); 0 = one per core, 1 = one after the other on "
          "all threads. Results do not depend on it"),
      0, 4096)));
  return table;
}

// False when the values name no model. A name of the wrong type or of no model
// is left to the table, whose error says what it takes.
bool apply_defaults_of_model(const Json& values, RunOptions& options) {
  const auto model = values.find("model");
  if (model == values.end()) return false;
  for (const ModelEntry& entry : model_table()) {
    if (*model == entry.name) {
      apply_json(run_option_table(), entry.defaults, options);
    }
  }
  return true;
}

void check_math(const RunOptions& options) {
  if (options.math == "fp32") return;
  if (options.device != "cuda") {
    throw UsageError(
        fmt::format("--math {} is for GPUs; add --device cuda", options.math));
  }
  if (options.math != "bf16" || options.model == "mlp") return;
  if (options.model != "ordered_gnn") {
    throw UsageError(
        fmt::format("--math bf16 is for ordered_gnn and mlp, not for {}; use "
                    "--math tf32",
                    options.model));
  }
  if (!has_fused_layers(options.network)) {
    throw UsageError(
        "--math bf16 needs mean, gcn or sum aggregation, ordered or softor "
        "gating, layer norm and no residual; use --math tf32");
  }
}

// LibTorch lends cuBLAS memory for each of two threads, on Hopper 32 MiB.
// Products of bfloat16 use little of it; those of TF32 take the faster
// algorithms only when they have all of it.
void limit_workspace(const RunOptions& options) {
  static std::once_flag once;
  std::call_once(once, [&] {
    const char* const size =
        options.math == "bf16" ? ":4096:2:16:8" : ":4096:8";
    setenv("CUBLAS_WORKSPACE_CONFIG", size, /*overwrite=*/0);
  });
}

}  // namespace

const std::vector<Option<RunOptions>>& run_option_table() {
  static const std::vector<Option<RunOptions>> table = make_table();
  return table;
}

Json to_json(const RunOptions& options) {
  return to_json(run_option_table(), options);
}

RunOptions run_options_from_layers(const std::vector<Json>& layers) {
  RunOptions options;
  for (auto layer = layers.rbegin(); layer != layers.rend(); ++layer) {
    if (apply_defaults_of_model(*layer, options)) break;
  }
  for (const Json& layer : layers) {
    apply_json(run_option_table(), layer, options);
  }
  return options;
}

RunOptions run_options_from_json(const Json& values) {
  return run_options_from_layers({values});
}

void apply_values(const Json& values, RunOptions& options) {
  apply_defaults_of_model(values, options);
  apply_json(run_option_table(), values, options);
}

std::string missing_device(const RunOptions& options) {
  if (options.device == "cpu") return "";
#if ORDERED_GNN_HAS_CUDA
  if (torch::cuda::is_available()) return "";
  return "no CUDA device was found (see what 'nvidia-smi' says); use --device "
         "cpu";
#else
  return "this build has no CUDA kernels; use --device cpu or build the 'cuda' "
         "preset against a CUDA LibTorch";
#endif
}

void validate(const RunOptions& options) {
  validate_values(options);
  const std::string missing = missing_device(options);
  if (!missing.empty()) throw UsageError(missing);
}

void validate_values(const RunOptions& options) {
  for (const auto& entry : run_option_table()) {
    check_option(entry.spec, entry.get(options));
  }
  check_model_options(options.model, options.network);
  if (options.workers != 1 && options.threads > 1) {
    throw UsageError(
        fmt::format("kernels are single threaded with --workers {}, but "
                    "--threads is {}; leave out --threads or use --workers 1",
                    options.workers, options.threads));
  }
  check_math(options);
}

at::Device device_of(const RunOptions& options) {
  return at::Device(options.device == "cuda" ? at::kCUDA : at::kCPU);
}

at::ScalarType storage_of(const RunOptions& options) {
  return options.math == "bf16" ? at::kBFloat16 : at::kFloat;
}

void use_math(const RunOptions& options) {
  if (device_of(options).is_cpu()) return;
  limit_workspace(options);
  const bool tf32 = options.math == "tf32";
  at::Context& context = at::globalContext();
  if (context.allowTF32CuBLAS() != tf32) context.setAllowTF32CuBLAS(tf32);
}

int64_t num_workers(const RunOptions& options) {
  const int64_t workers =
      options.workers > 0 ? options.workers : available_cores();
  return device_of(options).is_cpu() ? workers
                                     : std::min(workers, kMostGpuWorkers);
}

Json run_identity(const RunOptions& options, const std::string& fingerprint) {
  Json identity = to_json(options);
  for (const auto& row : run_option_table()) {
    if (row.spec.execution_only) identity.erase(row.spec.name);
  }
  // A GPU rounds in its own way.
  if (device_of(options).is_cpu()) identity.erase("device");
  if (options.math == "fp32") identity.erase("math");
  // Recomputing adds up the gradients of a shared gate in another order.
  if (!options.network.tied_gates) identity.erase("checkpoint-layers");
  // An option that a run of an earlier version did not have is at its default.
  const ModelOptions defaults;
  for (const auto& row : baseline_option_table()) {
    if (row.get(options.network) == row.get(defaults)) {
      identity.erase(row.spec.name);
    }
  }
  if (options.train.drop_edge == 0) identity.erase("drop-edge");
  // Without the switch its settings do nothing.
  if (!options.correct_smooth.enabled) {
    for (const auto& row : correct_smooth_option_table()) {
      identity.erase(row.spec.name);
    }
  }
  identity["fingerprint"] = fingerprint;
  return identity;
}

}  // namespace ordered_gnn
