#include "data/formats/ogb/ogb.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/io/text/text.h"
#include "data/formats/ogb/splits.h"
#include "data/formats/ogb/tables.h"
#include "data/formats/ogb/year_classes.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNumNodes = "num-node-list.csv";
constexpr const char* kNumEdges = "num-edge-list.csv";
constexpr const char* kEdges = "edge.csv";
constexpr const char* kFeatures = "node-feat.csv";
constexpr const char* kLabels = "node-label.csv";
constexpr const char* kYears = "node_year.csv";
constexpr const char* kEdgeFeatures = "edge-feat.csv";

struct OgbFiles {
  fs::path num_nodes;
  fs::path num_edges;
  fs::path edges;
  fs::path features;
  fs::path labels;  // subjects, or years when these become the classes
};

// Finds all files before any is read, so that one message names all that are
// missing.
OgbFiles find_files(const fs::path& folder, bool by_year) {
  std::string missing;
  const auto find = [&](const char* name) {
    const fs::path file = core::plain_or_gzipped(folder / "raw" / name);
    if (!is_there(file)) {
      missing += fmt::format("\n  {}[.gz]", file.string());
    }
    return file;
  };
  OgbFiles files;
  files.num_nodes = find(kNumNodes);
  files.num_edges = find(kNumEdges);
  files.edges = find(kEdges);
  files.features = find(kFeatures);
  files.labels = find(by_year ? kYears : kLabels);
  if (!missing.empty()) {
    fail_in(folder,
            "this OGB folder is not complete; put the missing files, "
            "plain or gzipped, under these names:" +
                missing);
  }
  return files;
}

void read_year_labels(const fs::path& file, const OgbCount& nodes,
                      int64_t num_classes, RawDataset& raw) {
  const std::vector<int64_t> years = read_ogb_years(file, nodes);
  if (years.empty()) return;  // validate() asks for a node
  raw.labels = classes_of_years(years, num_classes);
  raw.num_classes = num_classes;
  raw.provenance.notes.push_back(
      fmt::format("labels are the years in {} cut into {} classes at their "
                  "quantiles",
                  file.filename().string(), num_classes));
}

void read_labels(const fs::path& file, const OgbCount& nodes, RawDataset& raw) {
  raw.labels = read_ogb_labels(file, nodes);
  const int64_t* const label = raw.labels.data_ptr<int64_t>();
  int64_t unlabelled = 0;
  for (int64_t v = 0; v < nodes.count; ++v) {
    raw.num_classes = std::max(raw.num_classes, label[v] + 1);
    unlabelled += label[v] < 0;
  }
  if (unlabelled > 0) {
    raw.provenance.notes.push_back(fmt::format(
        "{} nodes have the label nan and count as unlabelled", unlabelled));
  }
}

}  // namespace

bool is_ogb_folder(const fs::path& folder) {
  return is_there(core::plain_or_gzipped(folder / "raw" / kNumNodes)) ||
         is_there(core::plain_or_gzipped(folder / "raw" / kLabels));
}

namespace {

// All but edges and features, and where those are.
struct OgbNodes {
  OgbFiles files;
  OgbCount nodes, edges;
  RawDataset raw;
};

OgbNodes load_nodes(const fs::path& folder, const LoadOptions& options) {
  const int64_t year_classes = options.year_classes;
  if (year_classes < 0 || year_classes > kMaxClasses) {
    throw UsageError(fmt::format("expected 0 to {} year classes, got {}",
                                 kMaxClasses, year_classes));
  }
  OgbNodes all;
  all.files = find_files(folder, year_classes > 0);
  const OgbFiles& files = all.files;
  RawDataset& raw = all.raw;
  raw.name = options.name.empty() ? name_from_path(folder) : options.name;
  raw.provenance.format = "ogb";
  for (const fs::path& file : {files.num_nodes, files.num_edges, files.labels,
                               files.edges, files.features}) {
    raw.provenance.files.push_back(file.string());
  }
  all.nodes = read_ogb_count(files.num_nodes);
  all.edges = read_ogb_count(files.num_edges);
  const OgbCount& nodes = all.nodes;
  raw.num_nodes = nodes.count;
  if (year_classes > 0) {
    read_year_labels(files.labels, nodes, year_classes, raw);
  } else {
    read_labels(files.labels, nodes, raw);
  }
  attach_ogb_splits(folder, options, nodes, raw);
  if (is_there(core::plain_or_gzipped(folder / "raw" / kEdgeFeatures))) {
    raw.provenance.notes.push_back(fmt::format(
        "raw/{} is not read; every edge counts the same", kEdgeFeatures));
  }
  return all;
}

class OgbSource : public GraphSource {
 public:
  explicit OgbSource(OgbNodes all)
      : all_(std::move(all)), width_(ogb_width(all_.files.features)) {
    if (width_ < 1 || width_ > kMaxFeatures) {
      fail_in(all_.files.features,
              fmt::format("expected 1 to {} features, got {}", kMaxFeatures,
                          width_));
    }
    validate_nodes(all_.raw);
  }

  RawDataset& nodes() override { return all_.raw; }
  int64_t num_features() const override { return width_; }
  // Sizes that follow from what is stated do not overflow; whether it is true
  // shows when the edges are walked.
  int64_t num_edges() const override {
    constexpr int64_t kMost = int64_t{1} << 48;
    return std::min(all_.edges.count, kMost);
  }

  void walk_edges(const OnEdges& on_edges) override {
    walk_ogb_edges(all_.files.edges, all_.nodes, all_.edges, kPieceEdges,
                   [&](const at::Tensor& edges) { on_edges(edges, {}); });
  }

  void walk_features(const OnRows& on_rows) override {
    int64_t first = 0;
    walk_ogb_features(all_.files.features, all_.nodes, piece_rows(width_),
                      [&](const at::Tensor& rows) {
                        const int64_t end = first + rows.size(0);
                        on_rows(at::arange(first, end, at::kLong), rows);
                        first = end;
                      });
  }

 private:
  OgbNodes all_;
  const int64_t width_;
};

}  // namespace

RawDataset load_ogb(const fs::path& folder, const LoadOptions& options) {
  OgbNodes all = load_nodes(folder, options);
  RawDataset& raw = all.raw;
  raw.edges = read_ogb_edges(all.files.edges, all.nodes, all.edges);
  raw.features =
      NodeFeatures::dense(read_ogb_features(all.files.features, all.nodes));
  validate(raw);
  return std::move(raw);
}

std::unique_ptr<GraphSource> open_ogb(const fs::path& folder,
                                      const LoadOptions& options) {
  return std::make_unique<OgbSource>(load_nodes(folder, options));
}

}  // namespace ordered_gnn::data
