#include "data/formats/npz/sparse_row_sort.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace ordered_gnn::data {
namespace {

bool rows_rise(const SparseRows& rows) {
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  for (int64_t row = 0; row + 1 < rows.rowptr.size(0); ++row) {
    for (int64_t e = rowptr[row] + 1; e < rowptr[row + 1]; ++e) {
      if (col[e] <= col[e - 1]) return false;
    }
  }
  return true;
}

}  // namespace

int64_t sort_sparse_rows(SparseRows& rows) {
  if (rows_rise(rows)) return 0;
  const int64_t num_rows = rows.rowptr.size(0) - 1;
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const float* const value = rows.value.data_ptr<float>();
  SparseRows out{at::empty_like(rows.rowptr), at::empty_like(rows.col),
                 at::empty_like(rows.value)};
  int64_t* const out_rowptr = out.rowptr.data_ptr<int64_t>();
  int32_t* const out_col = out.col.data_ptr<int32_t>();
  float* const out_value = out.value.data_ptr<float>();
  std::vector<std::pair<int32_t, int64_t>> order;  // column, entry
  int64_t used = 0;
  out_rowptr[0] = 0;
  for (int64_t row = 0; row < num_rows; ++row) {
    order.clear();
    for (int64_t e = rowptr[row]; e < rowptr[row + 1]; ++e) {
      order.emplace_back(col[e], e);
    }
    std::sort(order.begin(), order.end());
    for (const auto& [column, entry] : order) {
      if (used > out_rowptr[row] && out_col[used - 1] == column) {
        out_value[used - 1] += value[entry];
      } else {
        out_col[used] = column;
        out_value[used++] = value[entry];
      }
    }
    out_rowptr[row + 1] = used;
  }
  const int64_t repeats = rows.col.size(0) - used;
  out.col = out.col.narrow(0, 0, used);
  out.value = out.value.narrow(0, 0, used);
  rows = std::move(out);
  return repeats;
}

}  // namespace ordered_gnn::data
