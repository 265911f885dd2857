// A dataset in memory, cut into parts and written.
#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"
#include "scale/parts/writer.h"

namespace ordered_gnn::scale {
namespace {

// Rows of a list for the nodes `original`, their columns mapped by `new_id`
// where that is defined. The order of columns stays.
Adjacency cut_lists(const Adjacency& lists, const at::Tensor& original,
                    const at::Tensor& new_id) {
  const at::Tensor begin = lists.rowptr.index_select(0, original);
  const at::Tensor length = lists.rowptr.index_select(0, original + 1) - begin;
  const at::Tensor rowptr =
      at::cat({at::zeros({1}, at::kLong), length.cumsum(0)});
  const at::Tensor shift = at::repeat_interleave(
      begin - rowptr.narrow(0, 0, original.numel()), length);
  const at::Tensor entry = shift + at::arange(shift.numel(), at::kLong);
  const at::Tensor col = lists.col.index_select(0, entry);
  if (!new_id.defined()) return {rowptr, col};
  return {rowptr,
          new_id.index_select(0, col.to(at::kLong)).to(col.scalar_type())};
}

SparseRows cut_rows(const SparseRows& rows, const at::Tensor& original) {
  const Adjacency col = cut_lists({rows.rowptr, rows.col}, original, {});
  const Adjacency value = cut_lists({rows.rowptr, rows.value}, original, {});
  return {col.rowptr, col.col, value.col};
}

PartsManifest manifest_of(const NodeDataset& data, const PartsPlan& plan,
                          const std::string& method) {
  PartsManifest manifest;
  manifest.name = data.name;
  manifest.num_nodes = data.num_nodes();
  manifest.num_edges = data.graph.num_edges();
  manifest.num_features = data.features.num_features();
  manifest.num_classes = data.num_classes;
  manifest.sparse_features = data.features.kind() != NodeFeatures::Kind::dense;
  if (manifest.sparse_features) {
    manifest.feature_values = data.features.rows().col.numel();
  }
  manifest.num_splits = static_cast<int64_t>(data.splits.size());
  manifest.split_set = data.split_set;
  manifest.class_names = data.class_names;
  manifest.feature_names = data.feature_names;
  manifest.columns = data.columns;
  manifest.treatment = data.treatment;
  manifest.data_fingerprint = data.provenance.fingerprint;
  manifest.method = method;
  manifest.bounds = plan.bounds;
  manifest.parts = part_sizes(data.graph, plan);
  return manifest;
}

void add_features(PartsWriter& writer, int64_t part,
                  const NodeFeatures& features, const at::Tensor& original) {
  if (features.kind() != NodeFeatures::Kind::dense) {
    writer.add_sparse(part, cut_rows(features.rows(), original));
    return;
  }
  writer.add_dense(part, [&](int64_t begin, int64_t end) {
    return features.dense_values().index_select(
        0, original.narrow(0, begin, end - begin));
  });
}

}  // namespace

at::Tensor split_marks(const std::vector<Split>& splits, int64_t nodes) {
  const auto count = static_cast<int64_t>(splits.size());
  at::Tensor marks = at::zeros({count, nodes}, at::kByte);
  for (int64_t s = 0; s < count; ++s) {
    int64_t mark = 1;
    for (const data::SplitPart& part : data::parts_of(splits[s])) {
      marks[s].index_fill_(0, *part.nodes, mark++);
    }
  }
  return marks;
}

PartsManifest write_parts(const NodeDataset& data, const Assignment& assignment,
                          int64_t parts, const std::string& method,
                          const std::filesystem::path& folder, bool replace) {
  if (data.graph.weights().defined()) {
    fail(
        "'{}' has weights of edges, which parts do not hold; --edge-weights "
        "ignore leaves them out",
        data.name);
  }
  const PartsPlan plan = make_plan(assignment, parts);
  PartsWriter writer(folder, manifest_of(data, plan, method), replace);
  const at::Tensor marks = split_marks(data.splits, data.num_nodes());
  for (int64_t p = 0; p < parts; ++p) {
    const at::Tensor original = plan.original.narrow(
        0, plan.bounds[p], plan.bounds[p + 1] - plan.bounds[p]);
    writer.add_lists(p, cut_lists(data.graph.in(), original, plan.new_id),
                     cut_lists(data.graph.out(), original, plan.new_id));
    writer.add_nodes(p, data.labels.index_select(0, original),
                     marks.index_select(1, original), original);
    add_features(writer, p, data.features, original);
  }
  return writer.finish();
}

}  // namespace ordered_gnn::scale
