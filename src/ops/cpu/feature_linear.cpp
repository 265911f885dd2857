// Work split: rows of the sparse list, balanced by entries; the weight
// gradient owns one feature per row of the transposed list.
// Memory: gathers rows of W^T (or of the gradient); X is never made dense.
// Determinism: entries are added in list order, masks follow from indices.
#include "ops/detail/feature_linear.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <torch/library.h>

#include <algorithm>
#include <type_traits>
#include <vector>

#include "core/recycled_tensor.h"
#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/gemm.h"
#include "ops/cpu/kernels/dropout_kernel.h"
#include "ops/cpu/kernels/row_sum_kernel.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

// The values of a sparse list after dropout, in the type T.
template <typename T>
at::Tensor dropped_values(const SparseRows& list,
                          const kernels::EntryElements& entries,
                          const detail::Dropout& dropout) {
  const at::Tensor stored = list.value.contiguous();
  const at::Tensor out = core::recycled_empty(
      stored.sizes(),
      stored.options().dtype(c10::CppTypeToScalarType<T>::value));
  const kernels::DropoutMask mask(dropout.mask_key(), dropout.p);
  T* const values = out.data_ptr<T>();
  parallel_rows(
      entries.rowptr, list.rowptr.numel() - 1, [&](int64_t begin, int64_t end) {
        const int64_t first = entries.rowptr[begin];
        const int64_t count = entries.rowptr[end] - first;
        const at::AutoDispatchBelowADInplaceOrView below_autograd;
        out.narrow(0, first, count).copy_(stored.narrow(0, first, count));
        if (dropout.p == 0) return;
        ORDERED_GNN_SIMD_CALL(
            dropout_entries(mask, entries, begin, end, values));
      });
  return out;
}

// out[r] = bias + sum_e weight[e] * dense[col[e]]; In and Out are LibTorch's
// types of the rows that are read and written.
template <typename In, typename Out>
at::Tensor gather_rows(const at::Tensor& rowptr, const at::Tensor& col,
                       const at::Tensor& weight, const at::Tensor& dense,
                       const kernels::Computed<Stored<In>>* bias) {
  const int64_t num_rows = rowptr.numel() - 1;
  const at::Tensor out = core::recycled_empty(
      {num_rows, dense.size(1)},
      dense.options().dtype(c10::CppTypeToScalarType<Out>::value));
  kernels::RowSum<Stored<In>, int32_t, Stored<Out>> job;
  job.rowptr = rowptr.data_ptr<int64_t>();
  job.col = col.data_ptr<int32_t>();
  job.edge_weight = weight.data_ptr<kernels::Computed<Stored<In>>>();
  job.bias = bias;
  job.h = values_of<Stored<In>>(dense);
  job.out = values_of<Stored<Out>>(out);
  job.dim = dense.size(1);
  parallel_rows(job.rowptr, num_rows, [&](int64_t begin, int64_t end) {
    ORDERED_GNN_SIMD_CALL(row_sum(job, begin, end));
  });
  return out;
}

at::Tensor sparse_linear(const detail::SparseLinearArguments& arguments) {
  detail::check_sparse_linear(arguments);
  const SparseRows& rows = arguments.rows;
  const at::Tensor weight_rows = transposed(arguments.weight);
  const at::Tensor shift = arguments.bias.contiguous();
  at::Tensor out;
  AT_DISPATCH_FLOATING_TYPES(shift.scalar_type(), "feature_linear", [&] {
    const kernels::EntryElements entries{
        rows.rowptr.data_ptr<int64_t>(), rows.col.data_ptr<int32_t>(),
        /*row_stride=*/weight_rows.size(0), /*col_stride=*/1,
        /*row_of=*/arguments.dropout.nodes(rows.rowptr.numel() - 1)};
    const at::Tensor values =
        dropped_values<scalar_t>(rows, entries, arguments.dropout);
    // Rows are stored like the features, parameters stay in float.
    constexpr bool kIsFloat = std::is_same_v<scalar_t, float>;
    using Narrow = std::conditional_t<kIsFloat, at::BFloat16, scalar_t>;
    const auto gather = bf16::is_stored_as(rows.value)
                            ? gather_rows<scalar_t, Narrow>
                            : gather_rows<scalar_t, scalar_t>;
    out = gather(rows.rowptr, rows.col, values, weight_rows,
                 shift.data_ptr<scalar_t>());
  });
  return out;
}

// The sums of gather_rows() for the transposed list, node range by node range:
// a range of gradient rows stays in cache for all features that gather from it.
// A feature's entries are in the order of nodes: its ranges are summed and
// added up in that order, however the features are shared out.
// S is LibTorch's type of the gradient.
template <typename S>
class RangedGather {
 public:
  using T = kernels::Computed<Stored<S>>;

  RangedGather(const at::Tensor& rowptr, const at::Tensor& col,
               const at::Tensor& weight, const at::Tensor& dense,
               const at::Tensor& out)
      : col_(col.data_ptr<int32_t>()),
        rowptr_(rowptr.data_ptr<int64_t>()),
        num_nodes_(dense.size(0)) {
    job_.col = col_;
    job_.edge_weight = weight.data_ptr<T>();
    job_.h = values_of<Stored<S>>(dense);
    job_.out = out.data_ptr<T>();
    job_.dim = dense.size(1);
  }

  // Features [begin, end).
  void run(int64_t begin, int64_t end) const {
    // Bounds of one range in every feature's list, two numbers each.
    std::vector<int64_t> bounds(2 * (end - begin));
    for (int64_t f = begin; f < end; ++f) {
      bounds[2 * (f - begin) + 1] = rowptr_[f];
    }
    for (int64_t first = 0; first < num_nodes_; first += kRangeNodes) {
      for (int64_t f = begin; f < end; ++f) {
        int64_t* const bound = &bounds[2 * (f - begin)];
        bound[0] = bound[1];
        while (bound[1] < rowptr_[f + 1] &&
               col_[bound[1]] < first + kRangeNodes) {
          ++bound[1];
        }
        if (bound[0] == bound[1]) continue;
        kernels::RowSum<Stored<S>, int32_t, T> row = job_;
        row.rowptr = bound;
        row.out = job_.out + f * job_.dim;
        row.before = row.out;
        ORDERED_GNN_SIMD_CALL(row_sum(row, 0, 1));
      }
    }
  }

  // Worth it when a feature finds several entries in a range.
  static bool pays(int64_t entries, int64_t num_features, int64_t num_nodes) {
    const int64_t ranges = (num_nodes + kRangeNodes - 1) / kRangeNodes;
    return ranges > 1 && num_features > 0 &&
           entries >= 4 * num_features * ranges;
  }

 private:
  static constexpr int64_t kRangeNodes = 512;

  const int32_t* const col_;
  const int64_t* const rowptr_;
  const int64_t num_nodes_;
  kernels::RowSum<Stored<S>, int32_t, T> job_;
};

template <typename S>
at::Tensor gather_gradient(const at::Tensor& rowptr, const at::Tensor& col,
                           const at::Tensor& weight, const at::Tensor& dense) {
  using T = kernels::Computed<Stored<S>>;
  const int64_t num_features = rowptr.numel() - 1;
  if (!RangedGather<S>::pays(col.numel(), num_features, dense.size(0))) {
    return gather_rows<S, T>(rowptr, col, weight, dense, /*bias=*/nullptr);
  }
  const at::Tensor out =
      at::zeros({num_features, dense.size(1)}, weight.options());
  const RangedGather<S> gather(rowptr, col, weight, dense, out);
  // A part walks through all nodes: few parts, whose number changes no bit.
  const int64_t parts = std::min<int64_t>(num_features, 4 * num_threads());
  parallel_rows(rowptr.data_ptr<int64_t>(), num_features,
                [&](int64_t begin, int64_t end) { gather.run(begin, end); },
                {std::max<int64_t>(1, col.numel() / parts), /*row=*/0});
  return out;
}

std::tuple<at::Tensor, at::Tensor> sparse_linear_backward(
    const detail::SparseLinearBackwardArguments& arguments) {
  const SparseRows& columns = arguments.columns;
  const at::Tensor grads = arguments.grad.contiguous();
  at::Tensor grad_weight_rows;
  AT_DISPATCH_FLOATING_TYPES_AND(
      at::kBFloat16, grads.scalar_type(), "feature_linear", [&] {
        using T = kernels::Computed<Stored<scalar_t>>;
        const kernels::EntryElements entries{
            columns.rowptr.data_ptr<int64_t>(),
            columns.col.data_ptr<int32_t>(),
            /*row_stride=*/1,
            /*col_stride=*/columns.rowptr.numel() - 1,
            /*row_of=*/nullptr,
            /*col_of=*/arguments.dropout.nodes(grads.size(0))};
        const at::Tensor values =
            dropped_values<T>(columns, entries, arguments.dropout);
        grad_weight_rows = gather_gradient<scalar_t>(
            columns.rowptr, columns.col, values, grads);
      });
  return {grad_weight_rows.t(), column_sums(grads)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("sparse_linear", detail::registered<sparse_linear>);
  m.impl("sparse_linear_backward", detail::registered<sparse_linear_backward>);
}

}  // namespace ordered_gnn::cpu
