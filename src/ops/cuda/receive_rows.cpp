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
    const at::Tensor& nodes, const at::Tensor& rowptr, const at::Tensor& col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& h,
    const optional<at::Tensor>& prev_gate) {
  const OnDevice device(h);
  const at::Tensor source = h.contiguous();
  const at::Tensor own = selected(source, nodes);
  const at::Tensor m = at::empty_like(own);
  list_sum({rowptr, col, selected(row_scale, nodes), packed(col_scale), {}, {}},
           source, m);
  return {own, m, selected(prev_gate, nodes)};
}

// Rows whose columns lie side by side, as the sums need them; they may be one
// half of a wider matrix.
at::Tensor with_whole_rows(const at::Tensor& rows) {
  const bool whole = (rows.size(1) <= 1 || rows.stride(1) == 1) &&
                     rows.stride(0) >= rows.size(1);
  return whole ? rows : rows.contiguous();
}

std::tuple<at::Tensor, at::Tensor> receive_rows_backward(
    const at::Tensor& nodes, const at::Tensor& place,
    const at::Tensor& t_rowptr, const at::Tensor& t_col,
    const optional<at::Tensor>& row_scale,
    const optional<at::Tensor>& col_scale, const at::Tensor& grad_own,
    const at::Tensor& grad_m, const optional<at::Tensor>& grad_prev) {
  const OnDevice device(grad_m);
  const at::Tensor grad_h =
      at::empty({place.numel(), grad_m.size(1)}, grad_m.options());
  // The transposed lists with the two scales exchanged.
  list_sum(
      {t_rowptr, t_col, packed(col_scale), selected(row_scale, nodes), {}, {}},
      with_whole_rows(grad_m), grad_h, /*before=*/with_whole_rows(grad_own),
      /*before_of=*/place);
  return {grad_h, selected(grad_prev, place)};
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CUDA, m) {
  m.impl("receive_rows", receive_rows);
  m.impl("receive_rows_backward", receive_rows_backward);
}

}  // namespace ordered_gnn::cuda
