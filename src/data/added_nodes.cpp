#include "data/added_nodes.h"

#include <ATen/Functions.h>

#include <cmath>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "data/formats/csv/nodes.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

void check_added_features(const NodeDataset& data, const at::Tensor& values) {
  require_features_of_nodes(data);
  const int64_t width = data.features.num_features();
  if (values.dim() != 2 || values.scalar_type() != at::kFloat ||
      !values.device().is_cpu() || values.size(1) != width) {
    fail(
        "the features of new nodes must be [n, {}] float32 on the CPU, as "
        "wide as those of dataset '{}'",
        width, data.name);
  }
  const at::Tensor rows = values.contiguous();
  const float* const value = rows.data_ptr<float>();
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (std::isfinite(value[i])) continue;
    fail("feature {} of new node {} is {}; fill in what is missing", i % width,
         i / width, value[i]);
  }
}

void check_added_names(const NodeDataset& data, const AddedNodes& added) {
  if (added.names.empty()) {
    if (data.node_names.empty() || added.num_nodes() == 0) return;
    fail("the nodes of dataset '{}' have names; give new ones names too",
         data.name);
  }
  if (static_cast<int64_t>(added.names.size()) != added.num_nodes()) {
    fail("got {} names for {} new nodes", added.names.size(),
         added.num_nodes());
  }
  // Of the few new names, not of all that there are.
  std::unordered_set<std::string_view> seen;
  const auto fail_taken = [&](const std::string& name) {
    fail("dataset '{}' has a node '{}' already", data.name, name);
  };
  for (const std::string& name : added.names) {
    const std::optional<int64_t> number = plain_number(name);
    if (data.node_names.empty() && number && *number < data.num_nodes()) {
      fail_taken(name);
    }
    if (!seen.insert(name).second) {
      fail("two new nodes have the name '{}'", name);
    }
  }
  for (const std::string& name : data.node_names) {
    if (seen.count(name) > 0) fail_taken(name);
  }
}

NodeFeatures sparse_of(const at::Tensor& values) {
  const at::Tensor rows = values.contiguous();
  const float* const value = rows.data_ptr<float>();
  const int64_t width = rows.size(1);
  std::vector<int64_t> ends = {0};
  std::vector<int64_t> entries;
  for (int64_t i = 0; i < rows.numel(); ++i) {
    if (value[i] != 0) entries.push_back(i);
    if ((i + 1) % width == 0) {
      ends.push_back(static_cast<int64_t>(entries.size()));
    }
  }
  const at::Tensor places = tensor_of(entries);
  return NodeFeatures::sparse(
      {tensor_of(ends), places.remainder(width).to(at::kInt),
       rows.view(-1).index_select(0, places)},
      width);
}

}  // namespace

void require_features_of_nodes(const NodeDataset& data) {
  if (data.features.kind() != NodeFeatures::Kind::identity) return;
  fail(
      "dataset '{}' has node ids as features, and a model knows nothing of a "
      "new id; train with features of the nodes to predict new ones",
      data.name);
}

void check_added(const NodeDataset& data, const AddedNodes& added) {
  if (data.order.defined()) {
    fail(
        "'{}' has been reordered, and nodes are numbered as in the data that "
        "was loaded; add nodes and edges before reordering it",
        data.name);
  }
  if (added.features.defined()) check_added_features(data, added.features);
  check_added_names(data, added);
}

NodeFeatures treated_rows(const NodeDataset& data, const at::Tensor& values) {
  const NodeFeatures rows = data.features.kind() == NodeFeatures::Kind::sparse
                                ? sparse_of(values)
                                : NodeFeatures::dense(values);
  return data.treatment.features == Treatment::Features::row_normalized
             ? row_normalized(rows, data.feature_minimum)
             : rows;
}

}  // namespace ordered_gnn::data
