#include "ops/cuda/row_gradients.h"

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/products.h"
#include "ops/detail/large_rows.h"

namespace ordered_gnn::cuda {
namespace {

// Where the gradient of the gate before may go.
at::Tensor spare_gate(const GateBackwardTensors& job, bool in_place) {
  if (!in_place) return fresh_like(job.logits);
  return job.grad_gate.defined() ? job.grad_gate : job.gate;
}

}  // namespace

RowGradients place_gradients(GateBackwardTensors& job, bool reuse_memory) {
  const int64_t width = job.h.size(1);
  const bool in_place = reuse_memory && width <= kGateInPlaceDim;
  RowGradients grads;
  grads.logits = in_place ? job.logits : fresh_like(job.logits);
  if (static_cast<detail::GateMode>(job.mode) == detail::GateMode::softor) {
    grads.prev_gate = spare_gate(job, in_place);
  }
  if (in_place && detail::is_large(job.h.size(0), width, job.h.scalar_type())) {
    grads.h = job.grad_out;
    grads.m = fresh_like(job.h);
  } else {
    // Side by side, so that the product that adds to both is one call.
    const int64_t rows = job.h.size(0);
    grads.both = fresh({rows, 2 * width}, job.h.options());
    grads.h = columns_of(grads.both, 0, width);
    grads.m = columns_of(grads.both, width, width);
  }
  job.grad_h = grads.h;
  job.grad_m = grads.m;
  job.grad_logits = grads.logits;
  job.grad_prev = grads.prev_gate;
  return grads;
}

void add_gradients(const RowGradients& grads, const at::Tensor& gate_weight) {
  if (grads.both.defined()) {
    add_input_gradient(grads.logits, gate_weight, grads.both);
  } else {
    add_pair_input_gradient(grads.logits, gate_weight, grads.h, grads.m);
  }
}

}  // namespace ordered_gnn::cuda
