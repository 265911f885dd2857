#include "data/live/live_graph.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string_view>
#include <unordered_set>

#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

std::string why_fixed(const NodeDataset& data) {
  if (data.features.kind() == NodeFeatures::Kind::identity) {
    return "its features are node ids, of which a model knows none but those "
           "that it was trained on";
  }
  return "";
}

// Nodes of a graph that changes are known by their names.
void require_distinct(const std::vector<std::string>& names,
                      const std::string& dataset) {
  std::unordered_set<std::string_view> seen;
  seen.reserve(names.size());
  for (const std::string& name : names) {
    if (!name.empty() && seen.insert(name).second) continue;
    fail("'{}' has {}; nodes of a graph that changes are known by their names",
         dataset,
         name.empty() ? "a node without a name"
                      : fmt::format("several nodes '{}'", name));
  }
}

}  // namespace

void ChangeEffect::merge(const ChangeEffect& later) {
  // Both rise.
  const auto add = [](std::vector<int64_t>& to,
                      const std::vector<int64_t>& from) {
    const auto middle = static_cast<std::ptrdiff_t>(to.size());
    to.insert(to.end(), from.begin(), from.end());
    std::inplace_merge(to.begin(), to.begin() + middle, to.end());
    to.erase(std::unique(to.begin(), to.end()), to.end());
  };
  add(list_rows, later.list_rows);
  add(feature_rows, later.feature_rows);
  add(removed_rows, later.removed_rows);
  all_features = all_features || later.all_features;
  labels = labels || later.labels;
}

LiveGraph::LiveGraph(const RawDataset& raw, const NodeDataset& data) {
  const int64_t rows = data.num_nodes();
  require_distinct(raw.node_names, data.name);
  auto frame = std::make_shared<Frame>();
  frame->name = data.name;
  frame->treatment = data.treatment;
  frame->num_classes = data.num_classes;
  frame->num_features = raw.features.num_features();
  frame->kind = raw.features.kind();
  frame->is_weighted = data.graph.weights().defined();
  frame->class_names = data.class_names;
  frame->feature_names = raw.feature_names;
  frame->columns = data.columns;
  frame->splits = raw.splits;
  frame->split_set = raw.split_set;
  frame->provenance = raw.provenance;
  frame->names = std::make_shared<NodeNames>(raw.node_names, rows);
  frame->fixed_because = why_fixed(data);
  if (!frame->fixed_because.empty()) {
    frame->fixed_raw = raw;
    frame->fixed = data;
  }
  frame_ = frame;
  num_nodes_ = rows;
  in_ = core::ListTable::of(data.graph.in(), data.graph.weights());
  if (!is_symmetric()) out_ = core::ListTable::of(data.graph.out());
  const at::Tensor labels = data.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  nodes_.resize(core::chunks_of(rows));
  for (int64_t c = 0; c < nodes_.size(); ++c) {
    auto chunk = std::make_shared<NodeChunk>();
    const int64_t first = c * core::kRowsPerChunk;
    for (int64_t r = first; r < std::min(first + core::kRowsPerChunk, rows);
         ++r) {
      chunk->label[place(r)] = static_cast<int32_t>(label[r]);
      chunk->exists[place(r)] = 1;
    }
    nodes_.set(c, std::move(chunk));
  }
  if (frame->fixed) return;
  if (frame->kind == NodeFeatures::Kind::sparse) {
    sparse_ = core::ListTable::of(raw.features.rows());
  } else {
    dense_ = core::RowTable::of(raw.features.dense_values());
  }
  if (is_normalized()) minimum_ = row_minimum(raw.features);
}

int64_t LiveGraph::num_edges() const {
  return frame_->fixed ? frame_->fixed->graph.num_edges() : in_.num_entries();
}

int64_t LiveGraph::find(const std::string& name) const {
  return frame_->names->find(name, [&](int64_t row) { return has(row); });
}

std::string LiveGraph::name_of(int64_t row) const {
  return frame_->names->of(row);
}

void LiveGraph::commit() {
  if (new_names_.empty()) return;
  frame_->names->append(new_names_);
  new_names_.clear();
}

bool LiveGraph::is_gone(int64_t chunk) const {
  if ((chunk + 1) * core::kRowsPerChunk > num_rows()) return false;
  const auto& exists = nodes_[chunk].exists;
  return std::find(exists.begin(), exists.end(), 1) == exists.end();
}

std::vector<int64_t> LiveGraph::rows() const {
  std::vector<int64_t> out;
  out.reserve(static_cast<size_t>(num_nodes_));
  for (int64_t r = 0; r < num_rows(); ++r) {
    if (node(r).exists[place(r)]) out.push_back(r);
  }
  return out;
}

NodeFeatures LiveGraph::raw_rows(const std::vector<int64_t>& rows) const {
  if (frame_->kind == NodeFeatures::Kind::dense) {
    return NodeFeatures::dense(dense_.gathered(rows));
  }
  std::vector<int64_t> ends = {0};
  for (const int64_t r : rows)
    ends.push_back(ends.back() + sparse_.row(r).size());
  SparseRows out{tensor_of(ends), at::empty({ends.back()}, at::kInt),
                 at::empty({ends.back()}, at::kFloat)};
  int32_t* col = out.col.data_ptr<int32_t>();
  float* value = out.value.data_ptr<float>();
  for (const int64_t r : rows) {
    const core::ListTable::Row row = sparse_.row(r);
    col = std::copy(row.begin, row.end, col);
    value = std::copy_n(row.value, row.size(), value);
  }
  return NodeFeatures::sparse(out, frame_->num_features);
}

NodeFeatures LiveGraph::treated_rows(const std::vector<int64_t>& rows) const {
  const NodeFeatures raw = raw_rows(rows);
  return is_normalized() ? row_normalized(raw, minimum_) : raw;
}

}  // namespace ordered_gnn::data
