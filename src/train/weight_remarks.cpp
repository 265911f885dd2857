#include "train/weight_remarks.h"

#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::training {
namespace {

// Empty when the weights of the graph have an effect, or it has none.
std::string why_unread(const RunOptions& options, const NodeDataset& data) {
  if (!data.graph.weights().defined()) return "";
  return why_no_weights(options.model, options.network);
}

bool reads_weights(const Trained& trained) {
  return trained.is_own_model ||
         why_no_weights(trained.options.model, trained.options.network).empty();
}

}  // namespace

std::vector<std::string> weight_remarks(const RunOptions& options,
                                        const NodeDataset& data) {
  const std::string reason = why_unread(options, data);
  if (reason.empty()) return {};
  return {options.correct_smooth.enabled
              ? fmt::format("the edge weights of '{}' are read by Correct & "
                            "Smooth alone: {}",
                            data.name, reason)
              : fmt::format("every edge of '{}' counts the same: {}", data.name,
                            reason)};
}

std::vector<std::string> weight_remarks(const Trained& trained,
                                        const NodeDataset& data) {
  std::vector<std::string> remarks = weight_remarks(trained.options, data);
  if (!reads_weights(trained)) return remarks;
  if (data.ignores_edge_weights && !trained.has_edge_weights) {
    remarks.push_back(
        fmt::format("every edge of '{}' counts the same: the model was trained "
                    "without edge weights",
                    data.name));
  }
  if (trained.has_edge_weights && !data.graph.weights().defined()) {
    remarks.push_back(
        fmt::format("every edge of '{}' counts the same, but the model was "
                    "trained with edge weights",
                    data.name));
  }
  return remarks;
}

void require_math_for_weights(const RunOptions& options,
                              const ExecutionOptions& execution,
                              const NodeDataset& data) {
  if (execution.math != Math::bf16 || !data.graph.weights().defined() ||
      !why_unread(options, data).empty()) {
    return;
  }
  throw UsageError(fmt::format(
      "--math bf16 takes no edge weights, and '{}' has them; use "
      "--math {}, or --edge-weights ignore",
      data.name, execution.device == Device::cuda ? "tf32" : "fp32"));
}

}  // namespace ordered_gnn::training
