#include "scale/ranks/scored_nodes.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <vector>

namespace ordered_gnn::scale {
namespace {

Split split_of_marks(const at::Tensor& marks) {
  const auto part = [&](int64_t mark) {
    return marks.eq(mark).nonzero().flatten();
  };
  return {part(1), part(2), part(3)};
}

void describe(const PartsManifest& manifest, NodeDataset& data) {
  data.name = manifest.name;
  data.num_classes = manifest.num_classes;
  data.split_set = manifest.split_set;
  data.class_names = manifest.class_names;
  data.feature_names = manifest.feature_names;
  data.columns = manifest.columns;
  data.treatment = manifest.treatment;
  data.provenance.format = "parts";
  data.provenance.fingerprint = parts_fingerprint(manifest);
}

}  // namespace

at::Tensor scored_rows(const Part& part) {
  at::Tensor is_scored = part.labels.ge(0);
  if (part.splits.size(0) > 0) {
    is_scored = is_scored.logical_or(part.splits.gt(0).any(0));
  }
  return is_scored.nonzero().flatten();
}

ScoredNodes read_scored_nodes(const std::filesystem::path& folder,
                              const PartsManifest& manifest, Wire wire) {
  std::vector<at::Tensor> originals, labels, marks;
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    const Part part = read_part_nodes(folder, manifest, p);
    const at::Tensor rows = scored_rows(part);
    originals.push_back(part.original.index_select(0, rows));
    labels.push_back(part.labels.index_select(0, rows));
    marks.push_back(part.splits.index_select(1, rows));
  }
  const at::Tensor order = at::argsort(at::cat(originals));
  const int64_t count = order.numel();
  ScoredNodes nodes;
  nodes.place =
      at::empty_like(order).index_copy_(0, order, at::arange(count, at::kLong));
  describe(manifest, nodes.data);
  if (wire != Wire::fp32) {
    nodes.data.provenance.fingerprint += "-wire-" + to_string(wire);
  }
  nodes.data.graph = Graph::from_edges(count, at::empty({2, 0}, at::kLong));
  nodes.data.labels = at::cat(labels).index_select(0, order);
  const at::Tensor sorted_marks = at::cat(marks, 1).index_select(1, order);
  for (int64_t s = 0; s < manifest.num_splits; ++s) {
    nodes.data.splits.push_back(split_of_marks(sorted_marks[s]));
  }
  return nodes;
}

}  // namespace ordered_gnn::scale
