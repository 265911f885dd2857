#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/model.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/correct_smooth.h"
#include "ordered_gnn/train/run_options.h"
#include "ordered_gnn/train/trained.h"

namespace ordered_gnn {

/// What a model says of every node, computed without gradients or dropout, on
/// the CPU wherever it was computed. Rows are in the order of the data as it
/// was loaded, whatever it was computed in (ExecutionOptions::reorder,
/// reordered()).
struct Prediction {
  at::Tensor logits;              ///< [N, C]
  at::Tensor probabilities;       ///< [N, C], rows sum to 1
  at::Tensor labels;              ///< [N] int64, the most probable class
  at::Tensor embeddings;          ///< [N, D], when asked for
  std::vector<at::Tensor> gates;  ///< per layer [N, G], when asked for
};

struct PredictionOptions {
  bool embeddings = false;
  bool gates = false;
  /// Split whose training labels are told to models and post-processing that
  /// read labels.
  int64_t split = 0;
  CorrectSmoothOptions correct_smooth = {};
  /// Where and with how many threads; see predict() of a Trained.
  ExecutionOptions execution = {};
};

/// What a trained model says of the nodes of a graph, that of its training or
/// another with the same features: told the training labels of its own split,
/// classes matched by name (match_classes()), and corrected and smoothed as in
/// training, on the CPU.
/// @param data  on the CPU.
/// @throws Error when the data does not fit, see require_fit(), labels are
///         needed and it has none, or memory is not left.
Prediction predict(const Trained& trained, const NodeDataset& data);

/// The same as the options say. On a GPU the model is moved there and back, so
/// that no other thread may use it meanwhile.
/// @throws UsageError also when the execution does not fit this machine, or the
///         nodes are in another order than those that the model has parameters
///         for.
Prediction predict(const Trained& trained, const NodeDataset& data,
                   const PredictionOptions& options);

/// The options of the first form.
PredictionOptions prediction_options(const Trained& trained);

/// The same for a model in hand and data on its device; `execution` is not
/// read. With correct_smooth the logits are those that correct_and_smooth()
/// makes of the model's. Layers are not kept: two states [N, D] are alive at a
/// time, plus what was asked for.
/// @throws Error when labels are needed and the data has none.
Prediction predict(NodeModel& model, const NodeDataset& data,
                   const PredictionOptions& options = {});

/// Memory that predict() takes on the CPU besides the model and the data; see
/// prediction_bytes() of a model.
MemoryRange prediction_bytes(const RunOptions& run, const NodeDataset& data,
                             const PredictionOptions& options = {});

/// What predict() does on the CPU before it computes; for those who compute
/// otherwise. A model of the caller's own is not asked for.
/// @throws Error with the number when the least of prediction_bytes() is not
///         left, see require_memory().
void require_prediction_memory(const Trained& trained, const NodeDataset& data,
                               const PredictionOptions& options = {});

/// Mean cross-entropy of the labelled nodes among `nodes`; NaN without any.
double labelled_loss(const at::Tensor& logits, const at::Tensor& labels,
                     const at::Tensor& nodes);

}  // namespace ordered_gnn
