#pragma once
#include <c10/core/Device.h>
#include <c10/core/ScalarType.h>

#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/model_options.h"
#include "ordered_gnn/train/correct_smooth.h"
#include "ordered_gnn/train/options.h"

namespace ordered_gnn {

/// Everything that decides a training run. Recipes and checkpoints hold these
/// fields under the names of run_option_table().
struct RunOptions {
  DataOptions data;
  std::string splits = "0";
  std::string model = "ordered_gnn";
  ModelOptions network;
  TrainOptions train;
  CorrectSmoothOptions correct_smooth;
  std::string device = "cpu";
  std::string math = "fp32";  ///< on a GPU; see the table
  int64_t threads = 0;
  int64_t workers = 1;
};

/// The one table of options: data, model and training rows together.
const std::vector<Option<RunOptions>>& run_option_table();

Json to_json(const RunOptions& options);

/// Options from layers of values, later ones first: the last layer down to the
/// first, then the defaults of the model they name (ModelEntry::defaults), then
/// the program's own defaults. A recipe and the command line are such layers.
/// @throws UsageError for unknown keys and values that do not fit.
RunOptions run_options_from_layers(const std::vector<Json>& layers);

/// The same of one layer. Values that hold every key, as those of checkpoints
/// do, give these values.
RunOptions run_options_from_json(const Json& values);

/// Sets the defaults of the model that `values` name, when they name one, and
/// then the values.
/// @throws UsageError for unknown keys and values that do not fit.
void apply_values(const Json& values, RunOptions& options);

/// @throws UsageError when options do not fit each other or this machine.
void validate(const RunOptions& options);

/// The same, but for the device, which may be another machine's.
void validate_values(const RunOptions& options);

/// Why nothing can be computed on the device that is asked for, here and with
/// this build; empty when it can.
std::string missing_device(const RunOptions& options);

/// Where the options ask to compute.
at::Device device_of(const RunOptions& options);

/// Type in which `math` stores the rows of nodes.
at::ScalarType storage_of(const RunOptions& options);

/// On a GPU: sets LibTorch's switch for TF32 products, which is one for the
/// whole process, to what the options ask for. Runs side by side must agree.
/// The first call sets the environment variable CUBLAS_WORKSPACE_CONFIG, unless
/// it is there, to what such products need; cuBLAS reads it once.
void use_math(const RunOptions& options);

/// Streams that LibTorch has for runs side by side on a GPU.
constexpr int64_t kMostGpuWorkers = 32;

/// Runs at a time that `workers` asks for, at least 1.
int64_t num_workers(const RunOptions& options);

/// What decides the result of a run: the options without those that only say
/// how it is executed, and the fingerprint of its data.
Json run_identity(const RunOptions& options, const std::string& fingerprint);

}  // namespace ordered_gnn
