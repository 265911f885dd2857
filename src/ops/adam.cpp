// Schemas of the optimiser's steps on a GPU; the CPU's are in train/adam.cpp.
#include <torch/library.h>

namespace ordered_gnn {

TORCH_LIBRARY_FRAGMENT(ordered_gnn, m) {
  m.def(
      "adam_step_(Tensor(a!)[] value, Tensor[] grad, Tensor(b!)[] m, "
      "Tensor(c!)[] v, float[] l2, Tensor lr, Tensor steps, Tensor? stopped, "
      "Tensor? grad_scale) -> ()");
  m.def("clip_scale_(Tensor[] grad, float max_norm, Tensor(a!) scale) -> ()");
}

}  // namespace ordered_gnn
