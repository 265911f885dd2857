#include "ordered_gnn/explain/attributes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "explain/column_text.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

std::vector<Attribute> of_columns(const NodeDataset& data) {
  std::vector<Attribute> out;
  int64_t next = 0;
  for (size_t c = 0; c < data.columns.size(); ++c) {
    const Column& column = data.columns[c];
    if (column.num_features == 0) continue;
    if (column.first_feature != next) {
      fail("column '{}' begins at feature {}, expected {}", column.name,
           column.first_feature, next);
    }
    next += column.num_features;
    out.push_back({column.name, column.first_feature, column.num_features,
                   static_cast<int64_t>(c)});
  }
  if (next != data.features.num_features()) {
    fail("the columns of '{}' make {} features, its nodes have {}", data.name,
         next, data.features.num_features());
  }
  return out;
}

std::vector<float> features_of(const NodeFeatures& features,
                               const Attribute& attribute, int64_t node) {
  std::vector<float> out(static_cast<size_t>(attribute.num_features), 0.0f);
  if (features.kind() == NodeFeatures::Kind::dense) {
    const float* const row = features.dense_values().data_ptr<float>() +
                             node * features.num_features() +
                             attribute.first_feature;
    std::copy(row, row + out.size(), out.begin());
    return out;
  }
  const SparseRows& rows = features.rows();
  const int64_t* const begin = rows.rowptr.data_ptr<int64_t>() + node;
  const int32_t* const col = rows.col.data_ptr<int32_t>();
  const float* const value = rows.value.data_ptr<float>();
  for (int64_t e = std::lower_bound(col + begin[0], col + begin[1],
                                    attribute.first_feature) -
                   col;
       e < begin[1]; ++e) {
    const int64_t at = col[e] - attribute.first_feature;
    if (at >= attribute.num_features) break;
    out[static_cast<size_t>(at)] = value[e];
  }
  return out;
}

}  // namespace

std::vector<Attribute> attributes_of(const NodeDataset& data) {
  if (data.features.kind() == NodeFeatures::Kind::identity) return {};
  if (!data.columns.empty()) return of_columns(data);
  const int64_t count = data.features.num_features();
  const std::vector<std::string>& names = data.feature_names;
  if (!names.empty() && static_cast<int64_t>(names.size()) != count) {
    fail("'{}' has {} names of {} features", data.name, names.size(), count);
  }
  std::vector<Attribute> out;
  for (int64_t f = 0; f < count; ++f) {
    out.push_back({names.empty() ? fmt::format("feature {}", f)
                                 : names[static_cast<size_t>(f)],
                   f, 1, -1});
  }
  return out;
}

std::string attribute_text(const NodeDataset& data, const Attribute& attribute,
                           int64_t node) {
  const std::vector<float> features =
      features_of(data.features, attribute, node);
  if (attribute.column >= 0 &&
      data.treatment.features == Treatment::Features::raw) {
    return explain::column_text(
        data.columns[static_cast<size_t>(attribute.column)], features);
  }
  std::vector<std::string> texts;
  for (const float value : features) {
    texts.push_back(explain::value_text(value));
  }
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace ordered_gnn
