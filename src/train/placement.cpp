#include "train/placement.h"

#include "train/device_work.h"

namespace ordered_gnn::training {

bool takes_loaded_data(const ExecutionOptions& options) {
  return options.device == Device::cpu && storage_of(options) == at::kFloat;
}

NodeDataset place(const NodeDataset& data, const RunOptions& options) {
  const at::Device device = device_of(options.execution);
  return on_device(device, [&] {
    return to_device(data, device, storage_of(options.execution));
  });
}

void place(NodeModel& model, const RunOptions& options) {
  const at::Device device = device_of(options.execution);
  if (device.is_cpu()) return;
  on_device(device, [&] { model.to(device); });
}

}  // namespace ordered_gnn::training
