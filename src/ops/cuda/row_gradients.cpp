#include "ops/cuda/row_gradients.h"

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/gates/gate_norm.h"
#include "ops/cuda/products.h"
#include "ops/cuda/shared_block.h"
#include "ops/detail/gated_layer.h"
#include "ops/detail/large_rows.h"

namespace ordered_gnn::cuda {
namespace {

// What the caller hands on: it may live longer than the rest, and of large rows
// one of the two than the other.
void place_results(const GateBackwardTensors& job, bool in_place,
                   RowGradients& grads, at::Tensor* sum_h) {
  const at::ScalarType type = job.h.scalar_type();
  const bool together = !detail::is_large(job.h.size(0), job.h.size(1), type);
  std::vector<Wanted> wanted;
  if (sum_h != nullptr) {
    wanted.push_back({sum_h, at::DimVector(job.h.sizes()), type});
  }
  if (!together) {
    make_tensors(job.h.device(), wanted);
    wanted.clear();
  }
  if (static_cast<detail::GateMode>(job.mode) == detail::GateMode::softor) {
    if (in_place) {
      grads.prev_gate = job.grad_gate.defined() ? job.grad_gate : job.gate;
    } else {
      wanted.push_back(
          {&grads.prev_gate, at::DimVector(job.logits.sizes()), type});
    }
  }
  make_tensors(job.h.device(), wanted);
}

}  // namespace

RowGradients place_gradients(GateBackwardTensors& job, bool reuse_memory,
                             at::Tensor* sum_h) {
  const int64_t rows = job.h.size(0), width = job.h.size(1);
  const int64_t gates = job.logits.size(1);
  const at::ScalarType type = job.h.scalar_type();
  const bool in_place = reuse_memory && width <= kGateInPlaceDim;
  // Side by side unless memory is short, so that the product that adds to both
  // is one call.
  const bool apart = in_place && detail::is_large(rows, width, type);
  RowGradients grads;
  std::vector<Wanted> wanted;
  if (in_place) {
    grads.logits = job.logits;
  } else {
    wanted.push_back({&grads.logits, {rows, gates}, type});
  }
  if (apart) {
    grads.h = job.grad_out;
    wanted.push_back({&grads.m, {rows, width}, type});
  } else {
    wanted.push_back({&grads.both, {rows, 2 * width}, type});
  }
  wanted.push_back({&job.partial,
                    {share_rows(job), 2 * width + gates},
                    job.norm_weight.scalar_type()});
  const int64_t workspace =
      detail::is_time_first() ? pair_weight_workspace(job.h, job.m, gates) : 0;
  if (workspace > 0) wanted.push_back({&grads.workspace, {workspace}, type});
  make_tensors(job.h.device(), wanted);
  if (!apart) {
    grads.h = columns_of(grads.both, 0, width);
    grads.m = columns_of(grads.both, width, width);
  }
  place_results(job, in_place, grads, sum_h);
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

ParameterGradients parameter_gradients(const GateBackwardTensors& job,
                                       const RowGradients& grads) {
  const int64_t width = job.h.size(1), gates = grads.logits.size(1);
  const at::ScalarType type = job.norm_weight.scalar_type();
  ParameterGradients found;
  make_tensors(job.h.device(), {{&found.gate_weight, {gates, 2 * width}, type},
                                {&found.gate_bias, {gates}, type},
                                {&found.norm_weight, {width}, type},
                                {&found.norm_bias, {width}, type}});
  pair_weight_gradient(
      grads.logits, job.h, job.m,
      {job.partial, {found.norm_weight, found.norm_bias, found.gate_bias}},
      found.gate_weight, grads.workspace);
  return found;
}

}  // namespace ordered_gnn::cuda
