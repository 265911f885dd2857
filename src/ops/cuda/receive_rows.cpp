#include "ops/detail/receive_rows.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <torch/library.h>

#include "ops/cuda/context.h"
#include "ops/cuda/kernels/rows/select_rows.h"
#include "ops/cuda/sums.h"

namespace ordered_gnn::cuda {
namespace {

using detail::optional;

// rows[index], zeros where the index is negative.
at::Tensor selected(const at::Tensor& rows, const at::Tensor& index) {
  const OnDevice device(rows);
  const at::Tensor source = rows.contiguous();
  std::vector<int64_t> sizes = source.sizes().vec();
  sizes[0] = index.numel();
  const at::Tensor out = at::empty(sizes, source.options());
  AT_DISPATCH_INDEX_TYPES(index.scalar_type(), "select_rows", [&] {
    SelectRows<index_t> job;
    job.rows = source.data_ptr();
    job.index = index.data_ptr<index_t>();
    job.out = out.data_ptr();
    job.count = index.numel();
    job.row_bytes = source.element_size() *
                    (source.dim() > 1 ? source.size(1) : int64_t{1});
    C10_CUDA_CHECK(launch_select_rows(job, device.stream()));
  });
  return out;
}

at::Tensor selected(const optional<at::Tensor>& rows, const at::Tensor& index) {
  return rows.has_value() ? selected(*rows, index) : at::Tensor();
}

std::tuple<at::Tensor, at::Tensor, at::Tensor> receive_rows(
    const detail::ReceiveRowsArguments& arguments) {
  const detail::ScaledLists& lists = arguments.lists;
  const at::Tensor& nodes = arguments.nodes;
  const OnDevice device(arguments.h);
  const at::Tensor source = arguments.h.contiguous();
  const at::Tensor own = selected(source, nodes);
  const at::Tensor m = at::empty_like(own);
  list_sum({lists.rowptr,
            lists.col,
            selected(lists.row_scale, nodes),
            packed(lists.col_scale),
            {},
            {}},
           source, m);
  return {own, m, selected(arguments.prev_gate, nodes)};
}

// Rows whose columns lie side by side, as the sums need them; they may be one
// half of a wider matrix.
at::Tensor with_whole_rows(const at::Tensor& rows) {
  const bool whole = (rows.size(1) <= 1 || rows.stride(1) == 1) &&
                     rows.stride(0) >= rows.size(1);
  return whole ? rows : rows.contiguous();
}

std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const detail::ReceiveRowsBackwardArguments& arguments) {
  const detail::ScaledLists& lists = arguments.lists;
  const at::Tensor &grad_m = arguments.grad_m, &place = arguments.place;
  const OnDevice device(grad_m);
  const at::Tensor grad_h =
      at::empty({place.numel(), grad_m.size(1)}, grad_m.options());
  // The transposed lists with the two scales exchanged.
  list_sum({lists.t_rowptr,
            lists.t_col,
            packed(lists.col_scale),
            selected(lists.row_scale, arguments.nodes),
            {},
            {}},
           with_whole_rows(grad_m), grad_h,
           /*before=*/with_whole_rows(arguments.grad_own),
           /*before_of=*/place);
  return {grad_h, selected(arguments.grad_prev, place)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("receive_rows", detail::registered<receive_rows>);
  m.impl("receive_rows_backward", detail::registered<receive_rows_backward>);
}

}  // namespace ordered_gnn::cuda
