#include "data/grown_dataset.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "data/added_nodes.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

// A row of features wherever it is.
template <typename Rows>
class RowSource {
 public:
  RowSource(const NodeFeatures& old, const NodeFeatures& added)
      : old_(old), added_(added), first_new_(old.num_nodes()) {}

  Rows operator()(int64_t node) const {
    return node < first_new_ ? Rows(old_, node)
                             : Rows(added_, node - first_new_);
  }

 private:
  const NodeFeatures& old_;
  const NodeFeatures& added_;
  int64_t first_new_;
};

struct DenseRow {
  DenseRow(const NodeFeatures& features, int64_t row)
      : values(features.dense_values().data_ptr<float>() +
               row * features.num_features()) {}
  const float* values;
};

struct SparseRow {
  SparseRow(const NodeFeatures& features, int64_t row) {
    const SparseRows& rows = features.rows();
    const int64_t* const rowptr = rows.rowptr.data_ptr<int64_t>();
    size = rowptr[row + 1] - rowptr[row];
    col = rows.col.data_ptr<int32_t>() + rowptr[row];
    value = rows.value.data_ptr<float>() + rowptr[row];
  }
  int64_t size;
  const int32_t* col;
  const float* value;
};

NodeFeatures gathered_dense(const RowSource<DenseRow>& row_of,
                            const std::vector<int64_t>& nodes, int64_t width) {
  at::Tensor out =
      at::empty({static_cast<int64_t>(nodes.size()), width}, at::kFloat);
  float* to = out.data_ptr<float>();
  for (const int64_t v : nodes) {
    to = std::copy_n(row_of(v).values, width, to);
  }
  return NodeFeatures::dense(out);
}

NodeFeatures gathered_sparse(const RowSource<SparseRow>& row_of,
                             const std::vector<int64_t>& nodes, int64_t width) {
  std::vector<int64_t> ends = {0};
  for (const int64_t v : nodes) ends.push_back(ends.back() + row_of(v).size);
  SparseRows rows{tensor_of(ends), at::empty({ends.back()}, at::kInt),
                  at::empty({ends.back()}, at::kFloat)};
  int32_t* col = rows.col.data_ptr<int32_t>();
  float* value = rows.value.data_ptr<float>();
  for (const int64_t v : nodes) {
    const SparseRow row = row_of(v);
    col = std::copy_n(row.col, row.size, col);
    value = std::copy_n(row.value, row.size, value);
  }
  return NodeFeatures::sparse(rows, width);
}

GraphOptions options_of(const NodeDataset& data) {
  return {data.treatment.direction, data.treatment.self_loops};
}

// Lists the other way round.
std::vector<core::ListEntry> transposed(std::vector<core::ListEntry> entries) {
  for (core::ListEntry& entry : entries) std::swap(entry.first, entry.second);
  return entries;
}

// Those of the rising ids `all` that are among the rising `nodes`, as places
// among these.
std::vector<int64_t> places_among(const std::vector<int64_t>& nodes,
                                  const at::Tensor& all) {
  const at::Tensor ids = all.contiguous();
  const int64_t* id = ids.data_ptr<int64_t>();
  const int64_t* const end = id + ids.numel();
  std::vector<int64_t> places;
  for (size_t i = 0; i < nodes.size() && id != end; ++i) {
    id = std::lower_bound(id, end, nodes[i]);
    if (id != end && *id == nodes[i]) {
      places.push_back(static_cast<int64_t>(i));
    }
  }
  return places;
}

}  // namespace

GrownDataset::GrownDataset(const NodeDataset& data)
    : data_(data), in_(data.graph.in()) {}

GrownDataset::GrownDataset(const NodeDataset& data, const AddedNodes& added)
    : data_(data), in_(data.graph.in()) {
  if (is_weighted()) {
    fail(
        "the edges of '{}' have weights, and nodes or edges cannot join such a "
        "graph; add them to its tables and import it again, or use a model "
        "that was trained with --edge-weights ignore",
        data.name);
  }
  check_added(data, added);
  const int64_t num_nodes = data.num_nodes() + added.num_nodes();
  if (added.edges.defined()) {
    entries_ = core::added_entries(data.graph, num_nodes, added.edges,
                                   options_of(data));
  } else {
    entries_ = core::added_entries(
        data.graph, num_nodes, at::empty({2, 0}, at::kLong), options_of(data));
  }
  in_ = core::GrownLists(data.graph.in(), num_nodes, entries_);
  names_ = added.names;
  if (added.num_nodes() > 0) features_ = treated_rows(data, added.features);
}

std::string GrownDataset::name_of(int64_t node) const {
  const int64_t place = node - data_.num_nodes();
  if (place >= 0) {
    return names_.empty() ? std::to_string(node)
                          : names_[static_cast<size_t>(place)];
  }
  return data_.node_names.empty() ? std::to_string(node)
                                  : data_.node_names[static_cast<size_t>(node)];
}

std::vector<int64_t> GrownDataset::changed_nodes(int64_t hops) const {
  std::vector<int64_t> roots;
  if (hops > 0) {
    for (const core::ListEntry& entry : entries_) roots.push_back(entry.first);
  }
  for (int64_t v = data_.num_nodes(); v < num_nodes(); ++v) roots.push_back(v);
  // The lists of an undirected graph are their own transpose.
  if (data_.treatment.direction == Direction::undirected) {
    return core::reached_nodes(in_, roots, hops);
  }
  const core::GrownLists out(data_.graph.out(), num_nodes(),
                             transposed(entries_));
  return core::reached_nodes(out, roots, hops);
}

NodeFeatures GrownDataset::features_of(
    const std::vector<int64_t>& nodes) const {
  const int64_t width = data_.features.num_features();
  if (data_.features.kind() == NodeFeatures::Kind::dense) {
    return gathered_dense({data_.features, features_}, nodes, width);
  }
  return gathered_sparse({data_.features, features_}, nodes, width);
}

NodeDataset GrownDataset::part(const core::GraphPart& part,
                               int64_t split) const {
  NodeDataset out;
  out.name = data_.name;
  out.graph = part.graph;
  out.features = features_of(part.nodes);
  out.labels = at::full({out.num_nodes()}, -1, at::kLong);
  out.num_classes = data_.num_classes;
  out.class_names = data_.class_names;
  out.feature_names = data_.feature_names;
  out.columns = data_.columns;
  out.treatment = data_.treatment;
  out.feature_minimum = data_.feature_minimum;
  if (split < 0 || split >= static_cast<int64_t>(data_.splits.size())) {
    return out;
  }
  const at::Tensor places = tensor_of(
      places_among(part.nodes, data_.splits[static_cast<size_t>(split)].train));
  const at::Tensor ids = tensor_of(part.nodes).index_select(0, places);
  out.labels.index_copy_(0, places, data_.labels.index_select(0, ids));
  const at::Tensor none = at::empty({0}, at::kLong);
  out.splits.assign(static_cast<size_t>(split) + 1, {places, none, none});
  return out;
}

NodeDataset GrownDataset::whole() const {
  if (num_new_nodes() == 0 && entries_.empty()) return data_;
  NodeDataset out = data_;
  out.graph = Graph::from_rows(in_.merged());
  out.provenance.fingerprint.clear();
  out.provenance.notes.push_back(fmt::format(
      "{} nodes and {} messages were added", num_new_nodes(), entries_.size()));
  if (num_new_nodes() == 0) return out;
  std::vector<int64_t> all(static_cast<size_t>(num_nodes()));
  std::iota(all.begin(), all.end(), int64_t{0});
  out.features = features_of(all);
  out.labels =
      at::cat({data_.labels, at::full({num_new_nodes()}, -1, at::kLong)});
  if (!data_.node_names.empty() || !names_.empty()) {
    out.node_names.clear();
    for (const int64_t v : all) out.node_names.push_back(name_of(v));
  }
  return out;
}

}  // namespace ordered_gnn::data

namespace ordered_gnn {

NodeDataset with_added(const NodeDataset& data, const AddedNodes& added) {
  return data::GrownDataset(data, added).whole();
}

}  // namespace ordered_gnn
