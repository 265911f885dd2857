// Work split: rows balanced by edges, one owner per row in both directions;
// backward gathers over the transposed list instead of scattering.
// Memory: neighbours are read row by row; the winner is kept per element.
// Determinism: no two tasks write one element; ties go to the first neighbour.
#include "ops/detail/max_aggregate.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include <cmath>

#include "ops/cpu/blocks.h"
#include "ops/detail/checks.h"

namespace ordered_gnn::cpu {
namespace {

// A list and the rows that it is of.
template <typename T, typename Index>
struct RowMax {
  const int64_t* rowptr;
  const Index* col;
  const T* h;     // [N, dim]
  T* out;         // [N, dim]
  Index* winner;  // [N, dim]
  int64_t dim;

  void run(int64_t v) const {
    T* const best = out + v * dim;
    Index* const from = winner + v * dim;
    for (int64_t d = 0; d < dim; ++d) {
      best[d] = T(0);
      from[d] = Index(-1);
    }
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      const T* const source = h + static_cast<int64_t>(col[e]) * dim;
      for (int64_t d = 0; d < dim; ++d) {
        // A NaN wins and stays, so that diverged values do not go unseen.
        if (from[d] < 0 || source[d] > best[d] || std::isnan(source[d])) {
          best[d] = source[d];
          from[d] = col[e];
        }
      }
    }
  }
};

// The transposed list, and gradients that go back to the winners.
template <typename T, typename Index>
struct RowMaxBackward {
  const int64_t* t_rowptr;
  const Index* t_col;
  const Index* winner;
  const T* grad;
  T* out;
  int64_t dim;

  void run(int64_t u) const {
    T* const sum = out + u * dim;
    for (int64_t d = 0; d < dim; ++d) sum[d] = T(0);
    for (int64_t e = t_rowptr[u]; e < t_rowptr[u + 1]; ++e) {
      const int64_t v = t_col[e];
      for (int64_t d = 0; d < dim; ++d) {
        if (winner[v * dim + d] == u) sum[d] += grad[v * dim + d];
      }
    }
  }
};

std::tuple<at::Tensor, at::Tensor> max_aggregate(const at::Tensor& rowptr,
                                                 const at::Tensor& col,
                                                 const at::Tensor& /*t_rowptr*/,
                                                 const at::Tensor& /*t_col*/,
                                                 const at::Tensor& h) {
  detail::check_rows("max_aggregate", rowptr, col, h);
  detail::check_float("max_aggregate", "h", h);
  const at::Tensor source = h.contiguous();
  const at::Tensor out = at::empty_like(source);
  const at::Tensor winner = at::empty(source.sizes(), col.options());
  const int64_t* const first = rowptr.data_ptr<int64_t>();
  AT_DISPATCH_FLOATING_TYPES(h.scalar_type(), "max_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(col.scalar_type(), "max_aggregate", [&] {
      const RowMax<scalar_t, index_t> job = {first,
                                             col.data_ptr<index_t>(),
                                             source.data_ptr<scalar_t>(),
                                             out.data_ptr<scalar_t>(),
                                             winner.data_ptr<index_t>(),
                                             source.size(1)};
      parallel_rows(first, source.size(0), [&](int64_t begin, int64_t end) {
        for (int64_t v = begin; v < end; ++v) job.run(v);
      });
    });
  });
  return {out, winner};
}

at::Tensor max_aggregate_backward(const at::Tensor& t_rowptr,
                                  const at::Tensor& t_col,
                                  const at::Tensor& winner,
                                  const at::Tensor& grad) {
  detail::check_rows("max_aggregate_backward", t_rowptr, t_col, grad);
  const at::Tensor grads = grad.contiguous();
  const at::Tensor out = at::empty_like(grads);
  const int64_t* const first = t_rowptr.data_ptr<int64_t>();
  AT_DISPATCH_FLOATING_TYPES(grad.scalar_type(), "max_aggregate", [&] {
    AT_DISPATCH_INDEX_TYPES(t_col.scalar_type(), "max_aggregate", [&] {
      const RowMaxBackward<scalar_t, index_t> job = {first,
                                                     t_col.data_ptr<index_t>(),
                                                     winner.data_ptr<index_t>(),
                                                     grads.data_ptr<scalar_t>(),
                                                     out.data_ptr<scalar_t>(),
                                                     grads.size(1)};
      parallel_rows(first, grads.size(0), [&](int64_t begin, int64_t end) {
        for (int64_t u = begin; u < end; ++u) job.run(u);
      });
    });
  });
  return out;
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("max_aggregate", max_aggregate);
  m.impl("max_aggregate_backward", max_aggregate_backward);
}

}  // namespace ordered_gnn::cpu
