// One layer is a sum over the neighbours, the two products of both and one
// kernel for the rest; a norm over a batch adds a pass over what it normalises.
// [h ; m] is never built.
#include "ops/detail/candidate_layer.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/column_norm.h"
#include "ops/cuda/context.h"
#include "ops/cuda/drop_rows.h"
#include "ops/cuda/products.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

using detail::CandidateArguments;
using detail::CandidateLayerArguments;
using detail::CandidateLayerOutputs;

struct CandidateTensors {
  at::Tensor h, prev_gate, logits, pre, gate, out;
  LayerNormTensors candidate, norm;
};

// A norm over a batch comes when all rows are there, and the dropout behind it.
bool waits(const LayerNormTensors& norm) {
  return norm.mode == NormMode::batch;
}

template <typename T>
CandidateForward<Kernel<T>> candidate_forward_job(
    const CandidateArguments& layer, const CandidateTensors& tensors) {
  using C = Compute<Kernel<T>>;
  CandidateForward<Kernel<T>> job;
  job.mode = static_cast<GateMode>(layer.mode);
  job.logits = rows_of<T>(tensors.logits);
  job.prev_gate = rows_of<T>(tensors.prev_gate);
  job.h = rows_of<T>(tensors.h);
  job.m = rows_of<T>(tensors.pre);
  job.gate = rows_of<T>(tensors.gate);
  job.out = rows_of<T>(tensors.out);
  job.rows = tensors.h.size(0);
  job.gates = static_cast<int>(tensors.logits.size(1));
  job.dim = width_of(tensors.h);
  job.eps = layer.eps;
  job.candidate = norm_job<C>(tensors.candidate);
  if (!waits(tensors.norm)) {
    job.norm = norm_job<C>(tensors.norm);
    job.mask = mask_of(layer.dropout);
  }
  return job;
}

void combine_candidate(const CandidateArguments& layer,
                       const CandidateTensors& tensors) {
  const OnDevice device(tensors.h);
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, tensors.h.scalar_type(), "candidate_layer", [&] {
        C10_CUDA_CHECK(launch_candidate_forward(
            candidate_forward_job<scalar_t>(layer, tensors), device.stream()));
      });
}

void set_batch_statistics(const detail::NormArguments& norm,
                          const CandidateArguments& layer,
                          const LayerNormTensors& tensors,
                          const at::Tensor& x) {
  if (!waits(tensors)) return;
  set_column_statistics(
      x, tensors, layer.eps,
      {detail::value_or_undefined(norm.running_mean),
       detail::value_or_undefined(norm.running_var), layer.momentum});
}

static_assert(detail::kWidestOnGpu == kCandidateDim);

void check_gpu_size(const CandidateArguments& layer) {
  TORCH_CHECK(layer.h.size(1) <= kCandidateDim, "candidate_layer: at most ",
              kCandidateDim, " columns on a GPU, got ", layer.h.size(1),
              "; call the ops of its parts one after the other");
  TORCH_CHECK(layer.gate_weight.size(0) <= kMaxGates,
              "candidate_layer: at most ", kMaxGates, " gates on a GPU, got ",
              layer.gate_weight.size(0));
}

// The kernels count rows, all of which receive.
void check_whole_graph(const CandidateLayerArguments& arguments) {
  const int64_t receivers = arguments.lists.rowptr.numel() - 1;
  TORCH_CHECK(arguments.layer.h.size(0) == receivers &&
                  !tells_nodes(arguments.layer.dropout),
              "candidate_layer: no parts of a graph on a GPU; call the ops of "
              "its parts one after the other");
}

CandidateLayerOutputs candidate_layer(
    const CandidateLayerArguments& arguments) {
  detail::check_candidate_layer(arguments);
  const CandidateArguments& layer = arguments.layer;
  check_gpu_size(layer);
  check_whole_graph(arguments);
  const OnDevice device(layer.h);
  CandidateTensors tensors;
  tensors.h = layer.h.contiguous();
  tensors.prev_gate = packed(layer.prev_gate);
  const at::Tensor m = at::empty_like(tensors.h);
  list_sum(sum_over(arguments.lists), tensors.h, m);
  tensors.logits =
      pair_affine(tensors.h, m, layer.gate_weight, layer.gate_bias);
  tensors.pre =
      pair_affine(m, tensors.h, layer.candidate_weight, layer.candidate_bias);
  tensors.gate = at::empty_like(tensors.logits);
  tensors.out = at::empty_like(tensors.h);
  tensors.candidate = norm_tensors(layer.candidate_norm, tensors.h, layer.eps);
  tensors.norm = norm_tensors(layer.norm, tensors.h, layer.eps);
  set_batch_statistics(layer.candidate_norm, layer, tensors.candidate,
                       tensors.pre);
  combine_candidate(layer, tensors);
  set_batch_statistics(layer.norm, layer, tensors.norm, tensors.out);
  if (waits(tensors.norm)) {
    normalize_columns(tensors.norm, layer.dropout, tensors.out);
  }
  if (!arguments.keep) return {tensors.out, tensors.gate, {}, {}, {}, {}, {}};
  return {tensors.out,
          tensors.gate,
          m,
          tensors.logits,
          tensors.pre,
          tensors.candidate.statistics,
          tensors.norm.statistics};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("candidate_layer", detail::registered_whole<candidate_layer>);
}

}  // namespace ordered_gnn::cuda
