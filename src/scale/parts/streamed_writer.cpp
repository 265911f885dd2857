#include "scale/parts/streamed_writer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

#include "scale/parts/streamed_lists.h"

namespace ordered_gnn::scale {
namespace {

// Whether what is to be done with features depends on the least of all.
bool needs_minimum(const TreatmentChoice& choice, const RawDataset& nodes) {
  const bool is_chosen = choice.features || nodes.recommended || nodes.table;
  return !is_chosen || streamed_treatment(choice, nodes, 0).features ==
                           Treatment::Features::row_normalized;
}

void write_nodes(const RawDataset& nodes, const PartsPlan& plan,
                 PartsWriter& writer) {
  const at::Tensor marks = split_marks(nodes.splits, nodes.num_nodes);
  for (size_t p = 0; p + 1 < plan.bounds.size(); ++p) {
    const at::Tensor original = plan.original.narrow(
        0, plan.bounds[p], plan.bounds[p + 1] - plan.bounds[p]);
    writer.add_nodes(static_cast<int64_t>(p),
                     nodes.labels.index_select(0, original),
                     marks.index_select(1, original), original);
  }
}

// Rows of consecutive nodes, each to the file of its part.
void append_rows(int64_t first, const at::Tensor& rows,
                 const Assignment& assignment, PartsWriter& writer) {
  std::map<int32_t, std::vector<int64_t>> places;
  for (int64_t r = 0; r < rows.size(0); ++r) {
    places[assignment[first + r]].push_back(r);
  }
  for (auto& [part, own] : places) {
    const at::Tensor select = at::from_blob(
        own.data(), {static_cast<int64_t>(own.size())}, at::kLong);
    writer.append_dense(part, rows.index_select(0, select));
  }
}

}  // namespace

Treatment streamed_treatment(const TreatmentChoice& choice,
                             const RawDataset& nodes, float minimum) {
  RawDataset alike;
  alike.recommended = nodes.recommended;
  alike.table = nodes.table;
  alike.features = NodeFeatures::dense(at::full({1, 1}, minimum));
  Treatment treatment = resolve_treatment(choice, alike);
  if (nodes.edges_are_undirected) treatment.direction = Direction::undirected;
  return treatment;
}

StreamedWriter::StreamedWriter(data::GraphSource& source,
                               const StreamedCut& cut, int64_t entries)
    : source_(source),
      nodes_(source.nodes()),
      cut_(cut),
      entries_(entries),
      work_(cut.folder.string() + ".lists"),
      fingerprint_(source.num_edges()) {}

StreamedParts StreamedWriter::run() {
  float minimum = 0;
  if (needs_minimum(cut_.treatment, nodes_) || !source_.rows_are_in_order()) {
    minimum = spool_features();
  }
  treatment_ = streamed_treatment(cut_.treatment, nodes_, minimum);
  StoredLists lists =
      store_lists(source_, treatment_, work_.path(), entries_, fingerprint_);
  const Assignment assignment = assign_streamed(lists, nodes_, cut_.parts);
  const PartsPlan plan = make_plan(assignment, cut_.parts);
  PartsWriter writer(cut_.folder, manifest(plan, lists.in.num_entries()),
                     cut_.replace);
  StreamedParts result;
  write_lists(lists, plan, result, writer);
  write_nodes(nodes_, plan, writer);
  write_features(assignment, minimum, writer);
  writer.set_data_fingerprint(
      fingerprint_.finish(nodes_, source_.num_features()));
  result.manifest = writer.finish();
  return result;
}

// The least of all features.
float StreamedWriter::spool_features() {
  spool_.emplace(work_.path() / kSpoolFile, nodes_.num_nodes,
                 source_.num_features());
  float minimum = std::numeric_limits<float>::infinity();
  source_.walk_features([&](const at::Tensor& nodes, const at::Tensor& rows) {
    minimum = std::min(minimum, row_minimum(NodeFeatures::dense(rows)));
    spool_->put(nodes, rows);
  });
  return minimum;
}

PartsManifest StreamedWriter::manifest(const PartsPlan& plan,
                                       int64_t edges) const {
  PartsManifest manifest;
  manifest.name = nodes_.name;
  manifest.num_nodes = nodes_.num_nodes;
  manifest.num_edges = edges;
  manifest.num_features = source_.num_features();
  manifest.num_classes = nodes_.num_classes;
  manifest.num_splits = static_cast<int64_t>(nodes_.splits.size());
  manifest.split_set = nodes_.split_set;
  manifest.class_names = nodes_.class_names;
  manifest.feature_names = nodes_.feature_names;
  manifest.columns = nodes_.columns;
  manifest.treatment = treatment_;
  manifest.method = "stream";
  manifest.bounds = plan.bounds;
  manifest.parts.resize(cut_.parts);
  return manifest;
}

void StreamedWriter::write_lists(const StoredLists& lists,
                                 const PartsPlan& plan, StreamedParts& result,
                                 PartsWriter& writer) const {
  const at::Tensor trained = nodes_.splits.empty() ? at::empty({0}, at::kLong)
                                                   : nodes_.splits[0].train;
  HaloCounter of_parts(plan, cut_.parts, trained);
  std::vector<HaloCounter*> counters = {&of_parts};
  std::optional<HaloCounter> of_ranks;
  if (cut_.ranks != cut_.parts) {
    of_ranks.emplace(plan, cut_.ranks, trained);
    counters.push_back(&*of_ranks);
  }
  writer.set_sizes(cut_stored_lists(lists, plan, entries_, counters, writer));
  result.all_parts = of_parts.rows();
  result.halo = counters.back()->rows();
}

void StreamedWriter::write_features(const Assignment& assignment, float minimum,
                                    PartsWriter& writer) {
  const bool normalizes =
      treatment_.features == Treatment::Features::row_normalized;
  const auto write = [&](int64_t first, const at::Tensor& rows) {
    fingerprint_.add_features(rows);
    append_rows(
        first,
        normalizes
            ? row_normalized(NodeFeatures::dense(rows), minimum).dense_values()
            : rows,
        assignment, writer);
  };
  if (spool_) {
    spool_->walk(write);
    return;
  }
  source_.walk_features([&](const at::Tensor& nodes, const at::Tensor& rows) {
    write(nodes[0].item<int64_t>(), rows);
  });
}

}  // namespace ordered_gnn::scale
