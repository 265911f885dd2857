#include "data/formats/csv/dataset.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/io/text/text.h"
#include "data/formats/csv/edges.h"
#include "data/formats/csv/features.h"
#include "data/formats/csv/labels.h"
#include "data/formats/csv/layout.h"
#include "data/formats/csv/masks.h"
#include "data/formats/csv/meta.h"
#include "data/formats/csv/nodes.h"
#include "data/formats/csv/table_features.h"
#include "data/paths.h"
#include "data/tables/table.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;
using Kind = NodeFeatures::Kind;

// The path of a file that is there, plain or gzipped; else nothing.
std::optional<fs::path> find_file(const fs::path& folder, const char* name) {
  const fs::path file = core::plain_or_gzipped(folder / name);
  if (!is_there(file)) return std::nullopt;
  return file;
}

fs::path require_file(const fs::path& folder, const char* name,
                      const char* why) {
  const std::optional<fs::path> file = find_file(folder, name);
  if (!file) {
    fail_in(folder, fmt::format("there is no {} or {}.gz in this folder; {}",
                                name, name, why));
  }
  return *file;
}

// What the feature files are, dataset.json and the folder taken together.
Kind feature_kind(const fs::path& folder, const CsvMeta& meta,
                  RawDataset& raw) {
  const bool dense = find_file(folder, csv_layout::kFeatures).has_value();
  const bool sparse = find_file(folder, csv_layout::kSparse).has_value();
  if (dense && sparse) {
    fail_in(folder, fmt::format("has both {} and {}; keep one of them",
                                csv_layout::kFeatures, csv_layout::kSparse));
  }
  if (meta.features == Kind::identity && (dense || sparse)) {
    fail_in(folder / csv_layout::kMeta,
            fmt::format("states identity features, but there is {}",
                        dense ? csv_layout::kFeatures : csv_layout::kSparse));
  }
  if (!meta.features && !dense && !sparse) {
    raw.provenance.notes.push_back(
        fmt::format("there is neither {} nor {}; node ids are the features",
                    csv_layout::kFeatures, csv_layout::kSparse));
  }
  const Kind found = dense    ? Kind::dense
                     : sparse ? Kind::sparse
                              : Kind::identity;
  return meta.features.value_or(found);
}

// Folders of ours say that their features are numbers as they stand; those of
// users are tables of anything.
void read_dense(const fs::path& file, const CsvMeta& meta,
                const LoadOptions& options, DefinesNodes defines,
                NodeIds& nodes, RawDataset& raw) {
  raw.provenance.files.push_back(file.string());
  if (!meta.features) {
    read_csv_table(file, meta, options, defines, nodes, raw);
    return;
  }
  raw.features = NodeFeatures::dense(
      read_csv_features(file, nodes, defines, raw.feature_names));
}

void read_features(const fs::path& folder, Kind kind, const CsvMeta& meta,
                   const LoadOptions& options, NodeIds& nodes,
                   RawDataset& raw) {
  if (kind == Kind::identity) {
    raw.features = NodeFeatures::identity(nodes.size());
    return;
  }
  const char* const name =
      kind == Kind::dense ? csv_layout::kFeatures : csv_layout::kSparse;
  const fs::path file =
      require_file(folder, name, "dataset.json names features of this kind");
  if (kind == Kind::dense) {
    read_dense(file, meta, options, DefinesNodes::no, nodes, raw);
    return;
  }
  raw.provenance.files.push_back(file.string());
  raw.features = read_csv_sparse_features(file, nodes, meta.num_features);
}

// Nodes, labels and features: which file defines the nodes decides the order.
void read_nodes(const fs::path& folder, const CsvMeta& meta,
                const LoadOptions& options, NodeIds& nodes, RawDataset& raw) {
  const Kind kind = feature_kind(folder, meta, raw);
  const std::optional<fs::path> labels = find_file(folder, csv_layout::kLabels);
  raw.class_names = meta.class_names;
  if (labels) {
    raw.provenance.files.push_back(labels->string());
    read_csv_labels(*labels, meta, options.unlabelled, nodes, raw);
    read_features(folder, kind, meta, options, nodes, raw);
  } else {
    const fs::path file =
        require_file(folder, csv_layout::kFeatures,
                     "labels.csv, or else features.csv, says which nodes "
                     "there are");
    read_dense(file, meta, options, DefinesNodes::yes, nodes, raw);
    raw.labels = at::full({nodes.size()}, -1, at::kLong);
    raw.num_classes = static_cast<int64_t>(raw.class_names.size());
    raw.provenance.notes.emplace_back(
        "there is no labels.csv; no node has a label");
  }
  raw.num_nodes = nodes.size();
  raw.num_classes = meta.num_classes.value_or(raw.num_classes);
}

void attach_splits(const fs::path& folder, const LoadOptions& options,
                   const CsvMeta& meta, const NodeIds& nodes, RawDataset& raw) {
  if (options.split_set == "none") return;
  raw.split_set = meta.split_set;
  const std::optional<fs::path> file = find_file(folder, csv_layout::kMasks);
  if (file) {
    raw.splits = read_csv_masks(*file, nodes);
    raw.provenance.files.push_back(file->string());
    if (raw.split_set.empty()) raw.split_set = "file";
  } else if (options.split_set != "auto") {
    fail_in(folder,
            "there are no splits in this folder: masks.csv is missing; "
            "--split-set stratified:60/20/20 draws some");
  }
}

void require_names_fit(const fs::path& meta_file, const CsvMeta& meta,
                       const NodeIds& nodes) {
  if (nodes.are_numbers() || meta.node_names.empty()) return;
  fail_in(meta_file,
          "node_names is for nodes whose ids are the numbers 0 to N-1; here "
          "the ids themselves are names");
}

void apply_names(const fs::path& meta_file, const CsvMeta& meta, NodeIds& nodes,
                 RawDataset& raw) {
  require_names_fit(meta_file, meta, nodes);
  raw.node_names = nodes.are_numbers() ? meta.node_names : nodes.take_names();
}

}  // namespace

bool is_csv_folder(const fs::path& folder) {
  return find_file(folder, csv_layout::kEdges).has_value() ||
         find_file(folder, csv_layout::kLabels).has_value();
}

namespace {

// What is known before a table is read.
struct CsvStart {
  fs::path edge_file, meta_file;
  CsvMeta meta;
  RawDataset raw;
};

CsvStart start_csv(const fs::path& folder, const LoadOptions& options) {
  CsvStart start;
  start.edge_file = require_file(folder, csv_layout::kEdges,
                                 "the csv format needs it, if only its header");
  start.meta_file = folder / csv_layout::kMeta;
  CsvMeta& meta = start.meta;
  RawDataset& raw = start.raw;
  if (is_there(start.meta_file)) {
    meta = read_csv_meta(start.meta_file);
    raw.provenance.files.push_back(start.meta_file.string());
  }
  raw.name = !options.name.empty() ? options.name
             : meta.name           ? *meta.name
                                   : name_from_path(folder);
  raw.provenance.format = "csv";
  raw.provenance.notes = meta.notes;
  raw.recommended = meta.treatment;
  raw.edges_are_undirected = !meta.directed.value_or(true);
  if (!meta.directed) {
    raw.provenance.notes.emplace_back("edges are read as directed");
  }
  return start;
}

// Edges one by one, features as whoever derives from it has them.
class CsvSource : public GraphSource {
 public:
  RawDataset& nodes() override { return raw_; }
  int64_t num_edges() const override { return edges_.edges; }
  bool has_edge_weights() const override { return edges_.has_weights; }
  bool names_are_its_own() const override { return !ids_.are_numbers(); }

  void walk_edges(const OnEdges& on_edges) override {
    walk_csv_edges(edge_file_, ids_, kPieceEdges, [&](const CsvEdges& some) {
      on_edges(some.ends, some.weights);
    });
  }

 protected:
  CsvSource(fs::path edge_file, RawDataset raw)
      : edge_file_(std::move(edge_file)), raw_(std::move(raw)) {}

  // Once ids and labels are read.
  void finish(const fs::path& folder, const LoadOptions& options,
              const CsvMeta& meta) {
    raw_.num_nodes = ids_.size();
    raw_.num_classes = meta.num_classes.value_or(raw_.num_classes);
    edges_ = count_csv_edges(edge_file_);
    attach_splits(folder, options, meta, ids_, raw_);
    require_names_fit(folder / csv_layout::kMeta, meta, ids_);
    raw_.node_names = meta.node_names;
    try {
      validate_nodes(raw_);
    } catch (const Error& error) {
      fail_in(folder, error.what());
    }
  }

  const fs::path edge_file_;
  RawDataset raw_;
  NodeIds ids_;

 private:
  CsvEdgeCount edges_;
};

// Of a folder that says that features.csv holds numbers as they stand.
class CsvMatrixSource : public CsvSource {
 public:
  CsvMatrixSource(const fs::path& folder, const LoadOptions& options,
                  CsvStart start)
      : CsvSource(start.edge_file, std::move(start.raw)) {
    feature_kind(folder, start.meta, raw_);
    file_ = require_file(folder, csv_layout::kFeatures,
                         "dataset.json names features of this kind");
    raw_.class_names = start.meta.class_names;
    raw_.feature_names = csv_feature_names(file_);
    width_ = static_cast<int64_t>(raw_.feature_names.size());
    if (const auto labels = find_file(folder, csv_layout::kLabels)) {
      read_csv_labels(*labels, start.meta, options.unlabelled, ids_, raw_);
    } else {
      read_csv_feature_ids(file_, ids_);
      raw_.labels = at::full({ids_.size()}, -1, at::kLong);
      raw_.num_classes = static_cast<int64_t>(raw_.class_names.size());
    }
    finish(folder, options, start.meta);
  }

  int64_t num_features() const override { return width_; }
  bool rows_are_in_order() const override { return false; }
  void walk_features(const OnRows& on_rows) override {
    walk_csv_features(file_, ids_, piece_rows(width_), on_rows);
  }

 private:
  fs::path file_;
  int64_t width_ = 0;
};

// Of a folder whose features.csv is a table: its columns are fitted on all
// rows, so that the features are in memory.
class CsvTableSource : public CsvSource {
 public:
  CsvTableSource(const fs::path& folder, const LoadOptions& options,
                 CsvStart start)
      : CsvSource(start.edge_file, std::move(start.raw)) {
    read_nodes(folder, start.meta, options, ids_, raw_);
    features_ = std::move(raw_.features);
    raw_.features = NodeFeatures();
    // That there was one decides about the treatment.
    if (raw_.table) raw_.table = std::make_shared<Table>();
    finish(folder, options, start.meta);
  }

  bool is_dense() const { return features_.kind() == Kind::dense; }
  int64_t num_features() const override { return features_.num_features(); }
  void walk_features(const OnRows& on_rows) override {
    const int64_t most = piece_rows(num_features());
    for (int64_t begin = 0; begin < raw_.num_nodes; begin += most) {
      const int64_t count = std::min(most, raw_.num_nodes - begin);
      on_rows(at::arange(begin, begin + count, at::kLong),
              features_.dense_values().narrow(0, begin, count));
    }
  }

 private:
  NodeFeatures features_;
};

}  // namespace

RawDataset load_csv_dataset(const fs::path& folder,
                            const LoadOptions& options) {
  CsvStart start = start_csv(folder, options);
  RawDataset& raw = start.raw;
  NodeIds nodes;
  read_nodes(folder, start.meta, options, nodes, raw);
  CsvEdges edges = read_csv_edges(start.edge_file, nodes);
  raw.edges = std::move(edges.ends);
  raw.edge_weights = std::move(edges.weights);
  raw.provenance.files.push_back(start.edge_file.string());
  attach_splits(folder, options, start.meta, nodes, raw);
  apply_names(start.meta_file, start.meta, nodes, raw);
  try {
    validate(raw);
  } catch (const Error& error) {
    fail_in(folder, error.what());
  }
  return std::move(raw);
}

std::unique_ptr<GraphSource> open_csv_dataset(const fs::path& folder,
                                              const LoadOptions& options,
                                              std::string& why_not) {
  CsvStart start = start_csv(folder, options);
  const std::optional<Kind> kind = start.meta.features;
  if (kind == Kind::dense) {
    return std::make_unique<CsvMatrixSource>(folder, options, std::move(start));
  }
  if (!kind && find_file(folder, csv_layout::kFeatures)) {
    auto table =
        std::make_unique<CsvTableSource>(folder, options, std::move(start));
    if (table->is_dense()) return table;
  }
  why_not = "features that are sparse or node ids are read as a whole";
  return nullptr;
}

}  // namespace ordered_gnn::data
