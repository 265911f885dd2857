// Work split: rows balanced by edges; a row's edges belong to one task.
// Memory: scores are read twice from cache and written once.
// Determinism: sums run in list order.
#include "ops/detail/edge_softmax.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <algorithm>
#include <cmath>

#include "ops/cpu/blocks.h"

namespace ordered_gnn::cpu {
namespace {

template <typename T>
void softmax_run(const T* score, int64_t size, T* out) {
  if (size == 0) return;
  const T highest = *std::max_element(score, score + size);
  T total = T(0);
  for (int64_t e = 0; e < size; ++e) {
    out[e] = std::exp(score[e] - highest);
    total += out[e];
  }
  for (int64_t e = 0; e < size; ++e) out[e] /= total;
}

template <typename T>
void softmax_run_backward(const T* out, const T* grad, int64_t size,
                          T* grad_score) {
  T mean = T(0);
  for (int64_t e = 0; e < size; ++e) mean += out[e] * grad[e];
  for (int64_t e = 0; e < size; ++e) grad_score[e] = out[e] * (grad[e] - mean);
}

// Calls run(first edge, number of edges) for every row.
template <typename Run>
void for_each_row(const at::Tensor& rowptr, const Run& run) {
  const int64_t* const first = rowptr.data_ptr<int64_t>();
  parallel_rows(first, rowptr.numel() - 1, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v)
      run(first[v], first[v + 1] - first[v]);
  });
}

at::Tensor edge_softmax(const at::Tensor& rowptr, const at::Tensor& score) {
  detail::check_edge_softmax(rowptr, score);
  const at::Tensor scores = score.contiguous();
  const at::Tensor out = at::empty_like(scores);
  AT_DISPATCH_FLOATING_TYPES(score.scalar_type(), "edge_softmax", [&] {
    const scalar_t* const in = scores.data_ptr<scalar_t>();
    scalar_t* const result = out.data_ptr<scalar_t>();
    for_each_row(rowptr, [&](int64_t edge, int64_t size) {
      softmax_run(in + edge, size, result + edge);
    });
  });
  return out;
}

at::Tensor edge_softmax_backward(const at::Tensor& rowptr,
                                 const at::Tensor& out,
                                 const at::Tensor& grad) {
  detail::check_edge_softmax(rowptr, grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor grad_score = at::empty_like(grads);
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "edge_softmax", [&] {
    const scalar_t* const softmax = out.data_ptr<scalar_t>();
    const scalar_t* const g = grads.data_ptr<scalar_t>();
    scalar_t* const result = grad_score.data_ptr<scalar_t>();
    for_each_row(rowptr, [&](int64_t edge, int64_t size) {
      softmax_run_backward(softmax + edge, g + edge, size, result + edge);
    });
  });
  return grad_score;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("edge_softmax", edge_softmax);
  m.impl("edge_softmax_backward", edge_softmax_backward);
}

}  // namespace ordered_gnn::cpu
