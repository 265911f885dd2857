#include "ops/detail/checks.h"

namespace ordered_gnn::detail {

void check_float(const char* op, const char* name, const at::Tensor& tensor) {
  TORCH_CHECK(
      tensor.scalar_type() == at::kFloat || tensor.scalar_type() == at::kDouble,
      op, ": ", name, " must be float32 or float64, got ",
      tensor.scalar_type());
}

void check_rows_type(const char* op, const char* name,
                     const at::Tensor& tensor) {
  if (tensor.scalar_type() == at::kBFloat16) return;
  check_float(op, name, tensor);
}

void check_shape(const char* op, const char* name, const at::Tensor& tensor,
                 at::IntArrayRef expected) {
  TORCH_CHECK(tensor.sizes() == expected, op, ": ", name, " must be ", expected,
              ", got ", tensor.sizes());
}

void check_like(const char* op, const char* name, const at::Tensor& tensor,
                const char* reference_name, const at::Tensor& reference) {
  TORCH_CHECK(tensor.scalar_type() == reference.scalar_type(), op, ": ", name,
              " is ", tensor.scalar_type(), " but ", reference_name, " is ",
              reference.scalar_type(), "; convert one of them");
  TORCH_CHECK(tensor.device() == reference.device(), op, ": ", name, " is on ",
              tensor.device(), " but ", reference_name, " is on ",
              reference.device(), "; move one of them");
}

void check_parameter(const char* op, const char* name, const at::Tensor& tensor,
                     const char* rows_name, const at::Tensor& rows) {
  const bool is_mixed = rows.scalar_type() == at::kBFloat16 &&
                        tensor.scalar_type() == at::kFloat &&
                        tensor.device() == rows.device();
  if (!is_mixed) check_like(op, name, tensor, rows_name, rows);
}

void check_rows(const char* op, const at::Tensor& rowptr, const at::Tensor& col,
                const at::Tensor& h) {
  check_rows_type(op, "h", h);
  TORCH_CHECK(rowptr.dim() == 1 && rowptr.scalar_type() == at::kLong &&
                  rowptr.numel() >= 1,
              op, ": rowptr must be [N + 1] int64, got ", rowptr.sizes(), " ",
              rowptr.scalar_type());
  TORCH_CHECK(col.dim() == 1 && (col.scalar_type() == at::kInt ||
                                 col.scalar_type() == at::kLong),
              op, ": col must be [E] int32 or int64, got ", col.sizes(), " ",
              col.scalar_type());
  const int64_t num_nodes = rowptr.size(0) - 1;
  TORCH_CHECK(h.dim() == 2 && h.size(0) == num_nodes, op, ": h must be [",
              num_nodes, ", D] to match the graph, got ", h.sizes());
  TORCH_CHECK(h.device() == rowptr.device(), op, ": h is on ", h.device(),
              " but the graph is on ", rowptr.device(), "; move one of them");
}

}  // namespace ordered_gnn::detail
