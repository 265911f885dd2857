#include "ops/cuda/stored_parameters.h"

#include <ATen/Functions.h>

#include <map>
#include <mutex>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/convert.h"

namespace ordered_gnn::cuda {
namespace {

// By the memory of the parameter. Backward passes run in another thread than
// the one that set up the copies, hence one table for all.
std::mutex table_mutex;
std::map<const void*, at::Tensor>& table() {
  static std::map<const void*, at::Tensor> copies;
  return copies;
}

}  // namespace

StoredParameters::StoredParameters(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) {
    if (parameter.scalar_type() != at::kFloat || parameter.numel() == 0 ||
        !parameter.is_non_overlapping_and_dense()) {
      continue;
    }
    parameters_.push_back(parameter.detach());
    copies_.push_back(at::empty_like(parameter.detach(),
                                     parameter.options().dtype(at::kBFloat16)));
  }
}

void StoredParameters::refresh() const {
  if (parameters_.empty()) return;
  const OnDevice device(parameters_.front());
  ConvertTable launch;
  for (size_t i = 0; i < parameters_.size(); ++i) {
    launch.tensor[launch.count++] = {parameters_[i].data_ptr<float>(),
                                     rows_of<at::BFloat16>(copies_[i]),
                                     parameters_[i].numel(), 0};
    if (launch.count < kConvertTensors && i + 1 < parameters_.size()) continue;
    C10_CUDA_CHECK(launch_convert(launch, device.stream()));
    launch.count = 0;
  }
}

StoredParameters::Use::Use(const StoredParameters& copies) : copies_(copies) {
  const std::lock_guard<std::mutex> lock(table_mutex);
  for (size_t i = 0; i < copies.parameters_.size(); ++i) {
    table()[copies.parameters_[i].data_ptr()] = copies.copies_[i];
  }
}

StoredParameters::Use::~Use() {
  const std::lock_guard<std::mutex> lock(table_mutex);
  for (const at::Tensor& parameter : copies_.parameters_) {
    table().erase(parameter.data_ptr());
  }
}

at::Tensor stored_copy(const at::Tensor& parameter) {
  const std::lock_guard<std::mutex> lock(table_mutex);
  const auto found = table().find(parameter.data_ptr());
  if (found == table().end() || found->second.sizes() != parameter.sizes() ||
      found->second.strides() != parameter.strides()) {
    return {};
  }
  return found->second;
}

}  // namespace ordered_gnn::cuda
