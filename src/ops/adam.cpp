// The optimiser's steps on a GPU; the CPU's are in train/adam.cpp.
#include "ops/detail/adam.h"

#include <torch/library.h>

#include "ops/detail/arguments.h"

namespace ordered_gnn {
namespace detail {

void adam_step(const AdamStepArguments& arguments) {
  call_op<adam_step>("adam_step_", arguments);
}

void clip_scale(at::TensorList grad, double max_norm, const at::Tensor& scale) {
  static const auto op =
      find_op<decltype(clip_scale)>("ordered_gnn::clip_scale_");
  op.call(grad, max_norm, scale);
}

}  // namespace detail

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "adam_step_(Tensor(a!)[] value, Tensor[] grad, Tensor(b!)[] m, "
      "Tensor(c!)[] v, float[] l2, Tensor lr, Tensor steps, Tensor? stopped, "
      "Tensor? grad_scale) -> ()");
  m.def("clip_scale_(Tensor[] grad, float max_norm, Tensor(a!) scale) -> ()");
}

}  // namespace ordered_gnn
