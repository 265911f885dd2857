// The mirror image of candidate_layer.cpp: one kernel from the state back to
// the products, the products, and the sum over the transposed lists.
#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/column_norm.h"
#include "ops/cuda/context.h"
#include "ops/cuda/products.h"
#include "ops/cuda/sums.h"
#include "ops/detail/candidate_layer.h"

namespace ordered_gnn::cuda {
namespace {

using detail::CandidateLayerBackwardArguments;
using detail::CandidateLayerGradients;
using detail::KeptCandidateLayer;

struct UndoTensors {
  at::Tensor h, m, prev_gate, logits, pre, gate;
  LayerNormTensors candidate, norm;
  at::Tensor grad_out, grad_gate;
  at::Tensor mean_grad, mean_product;  // of a norm of mode batch
  // Results; pre itself, logits and so on where memory is reused.
  at::Tensor grad_h, grad_pre, grad_logits, grad_prev;
};

bool is_softor(const KeptCandidateLayer& kept) {
  return static_cast<GateMode>(kept.mode) == GateMode::softor;
}

// Where the gradient of the gate before may go.
at::Tensor place_of_prev_gate(const UndoTensors& tensors, bool reuse_memory) {
  if (!reuse_memory) return at::empty_like(tensors.logits);
  return tensors.grad_gate.defined() ? tensors.grad_gate : tensors.gate;
}

UndoTensors undo_tensors(const CandidateLayerBackwardArguments& arguments) {
  const KeptCandidateLayer& kept = arguments.kept;
  const bool reuse = arguments.reuse_memory;
  UndoTensors tensors;
  tensors.h = kept.h.contiguous();
  tensors.m = kept.m.value();
  tensors.prev_gate = packed(kept.prev_gate);
  tensors.logits = kept.logits;
  tensors.pre = kept.pre;
  tensors.gate = kept.gate.contiguous();
  tensors.candidate = norm_tensors(kept.candidate_norm);
  tensors.norm = norm_tensors(kept.norm);
  tensors.grad_out = arguments.grad_out.contiguous();
  tensors.grad_gate = packed(arguments.grad_gate);
  // The kernel has read a row of all of these before it writes one; a norm
  // over a batch needs the rows before it once more.
  tensors.grad_h = reuse ? tensors.grad_out : at::empty_like(tensors.h);
  tensors.grad_logits = reuse ? tensors.logits : at::empty_like(tensors.logits);
  tensors.grad_pre = reuse && tensors.candidate.mode != NormMode::batch
                         ? tensors.pre
                         : at::empty_like(tensors.pre);
  if (is_softor(kept)) tensors.grad_prev = place_of_prev_gate(tensors, reuse);
  return tensors;
}

template <typename T>
CandidateBackward<Kernel<T>> candidate_backward_job(
    const KeptCandidateLayer& kept, const UndoTensors& tensors) {
  using C = Compute<Kernel<T>>;
  CandidateBackward<Kernel<T>> job;
  job.mode = static_cast<GateMode>(kept.mode);
  job.logits = rows_of<T>(tensors.logits);
  job.prev_gate = rows_of<T>(tensors.prev_gate);
  job.h = rows_of<T>(tensors.h);
  job.m = rows_of<T>(tensors.pre);
  job.gate = rows_of<T>(tensors.gate);
  job.grad_out = rows_of<T>(tensors.grad_out);
  job.grad_gate = rows_of<T>(tensors.grad_gate);
  job.grad_logits = rows_of<T>(tensors.grad_logits);
  job.grad_prev = rows_of<T>(tensors.grad_prev);
  job.grad_h = rows_of<T>(tensors.grad_h);
  job.grad_m = rows_of<T>(tensors.grad_pre);
  job.rows = tensors.h.size(0);
  job.gates = static_cast<int>(tensors.logits.size(1));
  job.dim = width_of(tensors.h);
  job.mask = mask_of(kept.dropout);
  job.candidate = norm_job<C>(tensors.candidate);
  job.candidate_waits = tensors.candidate.mode == NormMode::batch;
  job.norm = norm_job<C>(tensors.norm);
  job.mean_grad = pointer_of<C>(tensors.mean_grad);
  job.mean_product = pointer_of<C>(tensors.mean_product);
  return job;
}

// Gradients of parameters: of the norm, of the gate's bias, of the candidate's
// norm, and the sum of grad_pre.
struct ParameterSums {
  at::Tensor norm_weight, norm_bias, gate_bias;
  at::Tensor candidate_weight, candidate_bias, pre;
};

// One pass over the rows; one that `counts` makes the norm's sums alone.
ParameterSums undo_candidate_rows(const KeptCandidateLayer& kept,
                                  const UndoTensors& tensors, bool counts) {
  const OnDevice device(tensors.h);
  const int64_t rows = tensors.h.size(0), dim = tensors.h.size(1);
  const int64_t gates = tensors.logits.size(1);
  const at::TensorOptions options = kept.gate_weight.options();
  at::Tensor partial, of_candidate;
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, tensors.h.scalar_type(), "candidate_layer", [&] {
        using S = Kernel<scalar_t>;
        const int64_t blocks =
            gate_norm_backward_blocks<S>(rows, static_cast<int>(gates));
        partial = at::empty({blocks, 2 * dim + gates}, options);
        of_candidate = at::empty({counts ? 0 : blocks, 3 * dim}, options);
        CandidateBackward<S> job =
            candidate_backward_job<scalar_t>(kept, tensors);
        job.counts = counts;
        job.partial = partial.data_ptr<Compute<S>>();
        job.candidate_partial = of_candidate.data_ptr<Compute<S>>();
        C10_CUDA_CHECK(launch_candidate_backward(job, device.stream()));
      });
  const std::vector<at::Tensor> norm = sum_partials(partial, {dim, dim, gates});
  if (counts) return {norm[0], norm[1], {}, {}, {}, {}};
  const std::vector<at::Tensor> candidate =
      sum_partials(of_candidate, {dim, dim, dim});
  return {norm[0], norm[1], norm[2], candidate[0], candidate[1], candidate[2]};
}

// The gradient of m, which comes through the products alone; what comes through
// them to h is added to grad_h.
at::Tensor undo_candidate_products(const KeptCandidateLayer& kept,
                                   const UndoTensors& tensors) {
  const int64_t dim = tensors.h.size(1);
  const at::Tensor candidate = stored_like(kept.candidate_weight, tensors.h);
  const at::Tensor gate = stored_like(kept.gate_weight, tensors.h);
  at::Tensor grad_m =
      input_gradient(tensors.grad_pre, candidate.narrow(1, 0, dim));
  add_input_gradient(tensors.grad_pre, candidate.narrow(1, dim, dim),
                     tensors.grad_h);
  add_pair_input_gradient(tensors.grad_logits, gate, tensors.grad_h, grad_m);
  return grad_m;
}

at::Tensor gradient_of_prev(const KeptCandidateLayer& kept,
                            const UndoTensors& tensors) {
  if (tensors.grad_prev.defined() || !kept.prev_gate.has_value()) {
    return tensors.grad_prev;
  }
  return at::zeros_like(tensors.logits);
}

CandidateLayerGradients candidate_layer_backward(
    const CandidateLayerBackwardArguments& arguments) {
  const KeptCandidateLayer& kept = arguments.kept;
  const OnDevice device(kept.h);
  UndoTensors tensors = undo_tensors(arguments);
  if (tensors.norm.mode == NormMode::batch) {
    const ParameterSums sums =
        undo_candidate_rows(kept, tensors, /*counts=*/true);
    const auto rows = static_cast<double>(tensors.h.size(0));
    tensors.mean_grad = sums.norm_bias.div(rows);
    tensors.mean_product = sums.norm_weight.div(rows);
  }
  ParameterSums sums = undo_candidate_rows(kept, tensors, /*counts=*/false);
  if (tensors.candidate.mode == NormMode::batch) {
    undo_column_norm(tensors.candidate, tensors.pre, sums.candidate_bias,
                     sums.candidate_weight, tensors.grad_pre);
    // Such a norm takes off again whatever a bias before it adds.
    sums.pre = at::zeros_like(sums.pre);
  }
  const at::Tensor grad_m = undo_candidate_products(kept, tensors);
  const at::Tensor gate_weight =
      pair_weight_gradient(tensors.grad_logits, tensors.h, tensors.m);
  const at::Tensor candidate_weight =
      pair_weight_gradient(tensors.grad_pre, tensors.m, tensors.h);
  list_sum(sum_over(arguments.lists.transposed()), grad_m, tensors.grad_h,
           /*before=*/tensors.grad_h);
  const bool has_candidate_norm = tensors.candidate.mode != NormMode::none;
  const bool has_norm = tensors.norm.mode != NormMode::none;
  return {tensors.grad_h,
          gradient_of_prev(kept, tensors),
          gate_weight,
          sums.gate_bias,
          candidate_weight,
          sums.pre,
          has_candidate_norm ? sums.candidate_weight : at::Tensor(),
          has_candidate_norm ? sums.candidate_bias : at::Tensor(),
          has_norm ? sums.norm_weight : at::Tensor(),
          has_norm ? sums.norm_bias : at::Tensor()};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("candidate_layer_backward",
         detail::registered_whole<candidate_layer_backward>);
  m.impl("candidate_layer_backward_",
         detail::registered<candidate_layer_backward>);
}

}  // namespace ordered_gnn::cuda
