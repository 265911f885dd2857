#include "ordered_gnn/train/prediction.h"

#include <torch/types.h>

#include <optional>

#include "core/out_of_memory.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "train/class_match.h"
#include "train/device_work.h"
#include "train/evaluation_context.h"
#include "train/known_labels.h"
#include "train/math_scope.h"
#include "train/placement.h"
#include "train/training_memory.h"
#include "train/weight_remarks.h"

namespace ordered_gnn {

namespace {

Prediction predict_there(NodeModel& model, const NodeDataset& data,
                         const PredictionOptions& options) {
  const torch::NoGradGuard no_grad;
  model.eval();
  ForwardTrace trace;
  const bool traced = options.embeddings || options.gates;
  // Whoever does not want them keeps none: they are N x gates of every layer.
  if (!options.gates) trace.on_layer = [](const LayerTrace&) {};
  Prediction out;
  const training::EvaluationContext context(model, data, options.split);
  at::Tensor logits = model.forward(
      data.graph, data.features, context.forward(), traced ? &trace : nullptr);
  if (options.correct_smooth.enabled) {
    logits = correct_and_smooth(data.graph, logits,
                                training::training_labels(data, options.split),
                                options.correct_smooth);
  }
  out.logits = in_loaded_order(data, logits.cpu());
  out.probabilities = out.logits.softmax(1);
  out.labels = out.logits.argmax(1);
  const auto fetched = [&data](const at::Tensor& tensor) {
    const bool is_half = tensor.scalar_type() == at::kBFloat16;
    return in_loaded_order(
        data, is_half ? tensor.to(at::kCPU, at::kFloat) : tensor.cpu());
  };
  if (options.embeddings) out.embeddings = fetched(trace.embeddings);
  if (options.gates) {
    for (const at::Tensor& gate : trace.gates) {
      out.gates.push_back(fetched(gate));
    }
  }
  return out;
}

// Brings a model to the device of the options while it lives.
class PlacedModel : NonCopyable {
 public:
  PlacedModel(NodeModel& model, const ExecutionOptions& execution)
      : model_(model), moves_(execution.device != Device::cpu) {
    if (moves_) model_.to(device_of(execution));
  }
  ~PlacedModel() {
    if (moves_) model_.to(at::kCPU);
  }

 private:
  NodeModel& model_;
  const bool moves_;
};

void require_on_cpu(const NodeDataset& data) {
  if (data.labels.device().is_cpu()) return;
  throw UsageError(
      fmt::format("predict: the data is on {}; give it on the CPU "
                  "and say where to compute in the options",
                  data.labels.device().str()));
}

// Data whose classes are those of the model.
Prediction predict_fitting(NodeModel& model, const NodeDataset& data,
                           const PredictionOptions& options) {
  const ExecutionOptions& execution = options.execution;
  const ThreadScope threads(execution.threads);
  return training::on_device(device_of(execution), [&] {
    const training::MathScope math(execution);
    const PlacedModel placed(model, execution);
    if (training::takes_loaded_data(execution)) {
      return predict_there(model, data, options);
    }
    return predict_there(
        model,
        to_device(training::in_execution_order(data, execution),
                  device_of(execution), storage_of(execution)),
        options);
  });
}

}  // namespace

PredictionOptions prediction_options(const Trained& trained) {
  PredictionOptions options;
  options.split = trained.result.split;
  options.correct_smooth = trained.options.correct_smooth;
  return options;
}

Prediction predict(const Trained& trained, const NodeDataset& data) {
  return predict(trained, data, prediction_options(trained));
}

Prediction predict(const Trained& trained, const NodeDataset& given,
                   const PredictionOptions& options) {
  if (!trained.model) throw UsageError("predict: there is no trained model");
  const ExecutionOptions& execution = options.execution;
  validate(execution);
  const std::string missing = missing_device(execution);
  if (!missing.empty()) throw UsageError(missing);
  require_on_cpu(given);
  const MemoryScope memory(max_memory_of(execution));
  const NodeDataset data = match_features(trained, given);
  require_fit(trained, data);
  if (!trained.is_own_model) {
    training::check_reorder(trained.options, execution);
    if (is_per_node(trained.options.model, trained.options.network)) {
      training::require_loaded_order(data, "predict");
    }
    training::require_math_for_weights(trained.options, execution, data);
  }
  require_prediction_memory(trained, data, options);
  std::optional<FoundData> matched;
  const bool reads_labels =
      trained.model->told_labels() || options.correct_smooth.enabled;
  if (reads_labels && !training::has_classes_of(trained, data)) {
    matched = match_classes(trained, data);
  }
  return core::naming_activity(
      fmt::format("predicting {} nodes of '{}'", data.num_nodes(), data.name),
      [&] {
        return predict_fitting(*trained.model, matched ? matched->data : data,
                               options);
      });
}

Prediction predict(NodeModel& model, const NodeDataset& data,
                   const PredictionOptions& options) {
  const ThreadScope threads(options.execution.threads);
  return training::on_device(data.labels.device(), [&] {
    return predict_there(model, data, options);
  });
}

MemoryRange prediction_bytes(const RunOptions& run, const NodeDataset& data,
                             const PredictionOptions& options) {
  PassSize size = training::pass_size(data);
  size.keeps_gates = options.gates;
  return training::stored_in(
      options.execution,
      prediction_bytes(find_model(run.model), run.network, size));
}

void require_prediction_memory(const Trained& trained, const NodeDataset& data,
                               const PredictionOptions& options) {
  const bool on_cpu = options.execution.device == Device::cpu;
  if (!on_cpu || trained.is_own_model) return;
  require_memory(prediction_bytes(trained.options, data, options).least,
                 fmt::format("dataset '{}'", data.name),
                 fmt::format("predicting {} nodes with {}", data.num_nodes(),
                             trained.options.model));
}

double labelled_loss(const at::Tensor& logits, const at::Tensor& labels,
                     const at::Tensor& nodes) {
  const torch::NoGradGuard no_grad;
  const at::Tensor labelled =
      nodes.masked_select(labels.index_select(0, nodes).ge(0));
  return cross_entropy(logits, labelled, labels.index_select(0, labelled))
      .item<double>();
}

}  // namespace ordered_gnn
