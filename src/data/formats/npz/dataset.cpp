#include "data/formats/npz/dataset.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/affixes.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "data/formats/feature_rows.h"
#include "data/formats/npz/arrays.h"
#include "data/formats/npz/layout.h"
#include "data/paths.h"
#include "data/split_checks.h"
#include "data/tables/column_json.h"
#include "data/tables/import.h"
#include "data/tables/table_arrays.h"
#include "data/treatment_json.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

at::Tensor read_edges(const core::NpzReader& archive) {
  const at::Tensor pairs = read_integers(archive, npz_layout::kEdges);
  if (pairs.dim() != 2 || pairs.size(1) != 2) {
    fail_in(archive.path(), fmt::format("edges: expected shape [E, 2], got {}",
                                        shape_of(pairs)));
  }
  return transposed_pairs(pairs, array_place(archive, npz_layout::kEdges));
}

// Numbers of any type; undefined when there are none.
at::Tensor read_edge_weights(const core::NpzReader& archive,
                             int64_t num_edges) {
  if (!archive.contains(npz_layout::kEdgeWeights)) return {};
  const at::Tensor weights = read_floats(archive, npz_layout::kEdgeWeights);
  if (weights.dim() != 1 || weights.size(0) != num_edges) {
    fail_in(archive.path(),
            fmt::format("edge_weights: expected shape [{}], a weight for every "
                        "row of edges, got {}",
                        num_edges, shape_of(weights)));
  }
  return weights.contiguous();
}

// Says what else the file knows of edges, which is not read.
void check_other_arrays(const core::NpzReader& archive, RawDataset& raw) {
  for (const std::string& name : archive.names()) {
    if (!core::starts_with(name, "edge_") || name == npz_layout::kEdgeWeights)
      continue;
    if (name == "edge_type" || name == "edge_types") {
      fail_in(archive.path(),
              fmt::format("{}: edges have no types here. Train on one type at "
                          "a time, with a file of its edges alone, or leave "
                          "the array out to treat all types alike",
                          name));
    }
    raw.provenance.notes.push_back(fmt::format(
        "the array '{}' is not read; weights are read from 'edge_weights'",
        name));
  }
}

at::Tensor read_labels(const core::NpzReader& archive) {
  const at::Tensor labels = read_integers(archive, npz_layout::kLabels);
  if (labels.dim() != 1) {
    fail_in(archive.path(),
            fmt::format("node_labels: expected shape [N], got {}",
                        shape_of(labels)));
  }
  // Arrays without elements may state any number of rows: what follows loops
  // over rows only once each of them is known to have bytes.
  if (labels.size(0) == 0) {
    fail_in(archive.path(), "node_labels: a dataset needs at least one node");
  }
  return labels.contiguous();
}

NodeFeatures read_sparse_features(const core::NpzReader& archive) {
  SparseRows rows;
  rows.rowptr = read_integers(archive, npz_layout::kRowptr);
  rows.col = archive.read(npz_layout::kCol);
  rows.value = archive.read(npz_layout::kValue);
  const int64_t width = read_count(archive, npz_layout::kShape, 1);
  return in_file(archive.path(),
                 [&] { return NodeFeatures::sparse(std::move(rows), width); });
}

NodeFeatures read_dense_features(const core::NpzReader& archive,
                                 bool as_stored) {
  const at::Tensor values = read_floats(archive, npz_layout::kFeatures);
  if (values.dim() != 2) {
    fail_in(archive.path(),
            fmt::format("node_features: expected shape [N, F], got {}",
                        shape_of(values)));
  }
  return in_file(archive.path(), [&] {
    return as_stored ? NodeFeatures::dense(values)
                     : features_from_dense(values);
  });
}

NodeFeatures read_features(const core::NpzReader& archive, int64_t num_nodes,
                           bool is_ours) {
  if (archive.contains(npz_layout::kRowptr)) {
    return read_sparse_features(archive);
  }
  if (archive.contains(npz_layout::kIdentity)) {
    const int64_t size = read_count(archive, npz_layout::kIdentity, 0);
    if (size != num_nodes) {
      fail_in(archive.path(),
              fmt::format("features_identity: got {} for {} nodes", size,
                          num_nodes));
    }
    return NodeFeatures::identity(num_nodes);
  }
  return read_dense_features(archive, is_ours);
}

void attach_splits(const core::NpzReader& archive, const std::string& split_set,
                   RawDataset& raw) {
  if (split_set == "none") return;
  const bool has_any = archive.contains(npz_layout::kTrain) ||
                       archive.contains(npz_layout::kVal) ||
                       archive.contains(npz_layout::kTest);
  if (has_any) {
    raw.splits = splits_of_masks(
        {{{npz_layout::kTrain, archive.read(npz_layout::kTrain)},
          {npz_layout::kVal, archive.read(npz_layout::kVal)},
          {npz_layout::kTest, archive.read(npz_layout::kTest)}}},
        raw.num_nodes, archive.path().string());
    if (raw.split_set.empty()) raw.split_set = "file";
  } else if (split_set != "auto") {
    fail_in(archive.path(),
            "there are no splits in this file: train_masks, "
            "val_masks and test_masks are missing; --split-set "
            "stratified:60/20/20 draws some");
  }
}

void apply_published_conventions(const fs::path& file, RawDataset& raw) {
  raw.edges_are_undirected =
      !core::ends_with(file.stem().string(), "_directed");
  raw.provenance.notes.emplace_back(
      raw.edges_are_undirected
          ? "edges are read as undirected, each stored once"
          : "edges are read as directed because of the file's name");
  const int64_t largest = raw.labels.max().item<int64_t>();
  if (largest >= kMaxClasses) {
    fail_in(file, fmt::format("node_labels: expected classes in [0, {}), got "
                              "{}",
                              kMaxClasses, largest));
  }
  raw.num_classes = largest + 1;
}

void take_meta(const core::NpzReader& archive, const json& meta,
               RawDataset& raw) {
  const int64_t version = core::whole_number(meta, "version");
  if (version != npz_layout::kVersion) {
    fail("version {} of the format is not known; this program reads version {}",
         version, npz_layout::kVersion);
  }
  raw.name = meta.at("name").get<std::string>();
  raw.num_classes = core::whole_number(meta, "num_classes", 0, kMaxClasses);
  raw.edges_are_undirected = !meta.at("directed").get<bool>();
  raw.split_set = meta.value("split_set", "");
  raw.node_names = meta.value("node_names", raw.node_names);
  raw.class_names = meta.value("class_names", raw.class_names);
  raw.feature_names = meta.value("feature_names", raw.feature_names);
  if (meta.contains("columns")) {
    raw.columns = columns_from_json(meta["columns"]);
  }
  if (meta.contains("table")) {
    raw.table = std::make_shared<Table>(
        read_table_arrays(archive, meta["table"], raw.num_nodes));
  }
  raw.provenance.notes = meta.value("notes", raw.provenance.notes);
  if (meta.contains("treatment")) {
    raw.recommended = treatment_from_json(meta["treatment"]);
  }
}

void apply_meta(const core::NpzReader& archive, RawDataset& raw) {
  const std::string text = archive.read_bytes(npz_layout::kMeta);
  const json meta =
      core::parse_json(text, archive.path().string() + ": meta.json",
                       {static_cast<int64_t>(text.size())});
  core::reading(archive.path(), npz_layout::kMeta,
                [&] { take_meta(archive, meta, raw); });
}

}  // namespace

bool is_npz_dataset(const fs::path& file) {
  return is_npz_with(file, {npz_layout::kEdges, npz_layout::kLabels});
}

RawDataset load_npz_dataset(const fs::path& file, const LoadOptions& options) {
  const core::NpzReader archive(file);
  const std::vector<std::string> entries = archive.entries();
  const bool is_ours = std::find(entries.begin(), entries.end(),
                                 npz_layout::kMeta) != entries.end();
  RawDataset raw;
  raw.provenance.format = "npz";
  raw.provenance.files = {file.string()};
  raw.edges = read_edges(archive);
  raw.labels = read_labels(archive);
  raw.num_nodes = raw.labels.size(0);
  if (is_ours) {
    apply_meta(archive, raw);
  } else {
    raw.name = name_from_path(file);
    apply_published_conventions(file, raw);
  }
  if (!options.name.empty()) raw.name = options.name;
  raw.edge_weights = read_edge_weights(archive, raw.edges.size(1));
  check_other_arrays(archive, raw);
  if (raw.table) {
    in_file(file, [&] { make_features(raw, options); });
  } else {
    raw.features = read_features(archive, raw.num_nodes, is_ours);
  }
  attach_splits(archive, options.split_set, raw);
  in_file(file, [&] { validate(raw); });
  return raw;
}

}  // namespace ordered_gnn::data
