#include "explain/shuffled_features.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace ordered_gnn::explain {
namespace {

// Entries of a sparse row that are before, among and after those of an
// attribute: [begin, first), [first, last), [last, end).
struct RowCut {
  int64_t begin, first, last, end;
};

RowCut cut_row(const SparseRows& rows, const Attribute& attribute,
               int64_t node) {
  const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>() + node;
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const auto place = [&](int64_t feature) {
    return std::lower_bound(col + rowptr[0], col + rowptr[1], feature) - col;
  };
  return {rowptr[0], place(attribute.first_feature),
          place(attribute.first_feature + attribute.num_features), rowptr[1]};
}

NodeFeatures shuffled_rows(const NodeFeatures& features,
                           const Attribute& attribute, const int64_t* order) {
  const SparseRows& rows = features.rows();
  const int64_t nodes = features.num_nodes();
  SparseRows out{at::zeros({nodes + 1}, at::kLong), at::empty_like(rows.col),
                 at::empty_like(rows.value)};
  int64_t next = 0;
  const auto copy = [&](int64_t from, int64_t to) {
    std::copy(rows.col.data_ptr<int32_t>() + from,
              rows.col.data_ptr<int32_t>() + to,
              out.col.data_ptr<int32_t>() + next);
    std::copy(rows.value.data_ptr<float>() + from,
              rows.value.data_ptr<float>() + to,
              out.value.data_ptr<float>() + next);
    next += to - from;
  };
  for (int64_t v = 0; v < nodes; ++v) {
    const RowCut own = cut_row(rows, attribute, v);
    const RowCut other = cut_row(rows, attribute, order[v]);
    copy(own.begin, own.first);
    copy(other.first, other.last);
    copy(own.last, own.end);
    out.rowptr.data_ptr<int64_t>()[v + 1] = next;
  }
  return NodeFeatures::sparse(std::move(out), features.num_features());
}

}  // namespace

NodeFeatures shuffled_features(const NodeFeatures& features,
                               const Attribute& attribute,
                               const at::Tensor& order) {
  if (features.kind() != NodeFeatures::Kind::dense) {
    return shuffled_rows(features, attribute, order.data_ptr<int64_t>());
  }
  const at::Tensor& values = features.dense_values();
  const at::Tensor out = values.clone();
  const int64_t first = attribute.first_feature;
  const int64_t count = attribute.num_features;
  out.narrow(1, first, count)
      .copy_(values.narrow(1, first, count).index_select(0, order));
  return NodeFeatures::dense(out);
}

}  // namespace ordered_gnn::explain
