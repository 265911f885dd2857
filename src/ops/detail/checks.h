#pragma once
#include <ATen/core/Tensor.h>

namespace ordered_gnn::detail {

/// Checks shared by the ops: each throws c10::Error that names the op, the
/// argument, what was expected and what came.
void check_float(const char* op, const char* name, const at::Tensor& tensor);
/// Rows of nodes: float, or bfloat16 on a GPU.
void check_rows_type(const char* op, const char* name,
                     const at::Tensor& tensor);
void check_shape(const char* op, const char* name, const at::Tensor& tensor,
                 at::IntArrayRef expected);
/// Same dtype and device as `reference`.
void check_like(const char* op, const char* name, const at::Tensor& tensor,
                const char* reference_name, const at::Tensor& reference);
/// A parameter used with `rows`: on their device and of their type, or float32
/// when they are stored as bfloat16.
void check_parameter(const char* op, const char* name, const at::Tensor& tensor,
                     const char* rows_name, const at::Tensor& rows);
/// rowptr and col as Adjacency describes them, and h [N, D] to match.
void check_rows(const char* op, const at::Tensor& rowptr, const at::Tensor& col,
                const at::Tensor& h);

}  // namespace ordered_gnn::detail
