#include "ops/cuda/stored_parameters.h"

#include <ATen/Functions.h>

#include <utility>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/convert.h"

namespace ordered_gnn::cuda {
namespace {

// LibTorch hands what is under this name on to the threads of a backward pass,
// which are not those that set up the copies. Programs may use it as well: the
// innermost one is found, and one that is not ours counts as none.
constexpr auto kKind = c10::DebugInfoKind::PRODUCER_INFO;

}  // namespace

StoredParameters::StoredParameters(const std::vector<at::Tensor>& parameters) {
  for (const at::Tensor& parameter : parameters) {
    if (parameter.scalar_type() != at::kFloat || parameter.numel() == 0 ||
        !parameter.is_non_overlapping_and_dense()) {
      continue;
    }
    places_[parameter.data_ptr()] = parameters_.size();
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

at::Tensor StoredParameters::copy_of(const at::Tensor& parameter) const {
  const auto found = places_.find(parameter.data_ptr());
  if (found == places_.end()) return {};
  const at::Tensor& copy = copies_[found->second];
  const bool same_layout = copy.sizes() == parameter.sizes() &&
                           copy.strides() == parameter.strides();
  return same_layout ? copy : at::Tensor();
}

StoredParameters::Use::Use(std::shared_ptr<StoredParameters> copies)
    : guard_(kKind, std::move(copies)) {}

at::Tensor stored_copy(const at::Tensor& parameter) {
  const auto* const copies = dynamic_cast<const StoredParameters*>(
      c10::ThreadLocalDebugInfo::get(kKind));
  return copies != nullptr ? copies->copy_of(parameter) : at::Tensor();
}

}  // namespace ordered_gnn::cuda
