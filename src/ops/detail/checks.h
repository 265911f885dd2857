#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Checks shared by the ops: each throws c10::Error that names the op, the
/// argument, what was expected and what came.
void check_float(const char* op, const char* name, const at::Tensor& tensor);
void check_shape(const char* op, const char* name, const at::Tensor& tensor,
                 at::IntArrayRef expected);
/// Same dtype and device as `reference`.
void check_like(const char* op, const char* name, const at::Tensor& tensor,
                const char* reference_name, const at::Tensor& reference);
/// rowptr and col as Adjacency describes them, and h [N, D] to match.
void check_rows(const char* op, const at::Tensor& rowptr, const at::Tensor& col,
                const at::Tensor& h);

}  // namespace ordered_gnn::detail
