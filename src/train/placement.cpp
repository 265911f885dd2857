#include "train/placement.h"

#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "train/device_work.h"

namespace ordered_gnn::training {

bool takes_loaded_data(const ExecutionOptions& options) {
  return options.device == Device::cpu && storage_of(options) == at::kFloat &&
         options.reorder == NodeOrder::none;
}

void check_reorder(const RunOptions& run, const ExecutionOptions& execution) {
  if (execution.reorder == NodeOrder::none) return;
  if (!is_per_node(run.model, run.network)) return;
  throw UsageError(
      fmt::format("--reorder {}: this {} has parameters for every node, in the "
                  "order of the "
                  "data; use --reorder none",
                  to_string(execution.reorder), run.model));
}

void require_loaded_order(const NodeDataset& data, const char* who) {
  if (!data.order.defined()) return;
  throw UsageError(
      fmt::format("{}: '{}' has been reordered; give it as it was loaded and "
                  "say the order in the options",
                  who, data.name));
}

NodeDataset in_execution_order(const NodeDataset& data,
                               const ExecutionOptions& options) {
  if (options.reorder == NodeOrder::none || data.order.defined()) return data;
  return reordered(data, node_order(data.graph, options.reorder));
}

NodeDataset place(const NodeDataset& data, const RunOptions& options) {
  const at::Device device = device_of(options.execution);
  return on_device(device, [&] {
    return to_device(in_execution_order(data, options.execution), device,
                     storage_of(options.execution));
  });
}

void place(NodeModel& model, const RunOptions& options) {
  const at::Device device = device_of(options.execution);
  if (device.is_cpu()) return;
  on_device(device, [&] { model.to(device); });
}

}  // namespace ordered_gnn::training
