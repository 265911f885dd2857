#include "data/formats/planetoid/planetoid.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "core/names.h"
#include "data/formats/geom_gcn/splits.h"
#include "data/formats/planetoid/assembly.h"
#include "data/formats/planetoid/files.h"
#include "data/formats/planetoid/graph.h"
#include "data/formats/planetoid/nodes.h"
#include "data/formats/planetoid/splits.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

std::string node_list(const std::vector<int64_t>& nodes) {
  constexpr size_t kMost = 20;
  const std::vector<int64_t> first(
      nodes.begin(), nodes.begin() + static_cast<std::ptrdiff_t>(
                                         std::min(nodes.size(), kMost)));
  return fmt::format("{}{}", fmt::join(first, ", "),
                     nodes.size() > kMost ? ", ..." : "");
}

void note_unlabelled(const RowOfNode& row_of_node, RawDataset& raw) {
  std::vector<int64_t> absent;
  std::vector<int64_t> zeros;
  const int64_t* const label = raw.labels.data_ptr<int64_t>();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    if (label[v] >= 0) continue;
    const bool has_row = row_of_node[static_cast<size_t>(v)] != kNoRow;
    (has_row ? zeros : absent).push_back(v);
  }
  if (!absent.empty()) {
    raw.provenance.notes.push_back(fmt::format(
        "{} nodes are in the graph only ({}): they get no features and no "
        "label, and are never trained on nor scored",
        absent.size(), node_list(absent)));
  }
  if (!zeros.empty()) {
    raw.provenance.notes.push_back(
        fmt::format("{} nodes have a label row of zeros and count as "
                    "unlabelled ({})",
                    zeros.size(), node_list(zeros)));
  }
}

void note_one_way(RawDataset& raw) {
  const int64_t one_way = count_one_way(raw.edges);
  if (one_way > 0) {
    raw.provenance.notes.push_back(
        fmt::format("the neighbour lists are not symmetric: {} distinct "
                    "entries have no reverse",
                    one_way));
  }
}

PlanetoidRows read_dataset(const PlanetoidFiles& files, RawDataset& raw) {
  const PlanetoidPart train = read_planetoid_part(files, "");
  const PlanetoidPart all = read_planetoid_part(files, "all");
  const PlanetoidPart test = read_planetoid_part(files, "t");
  check_same_width(train, all);
  check_same_width(test, all);
  check_repeats(train, all);
  const fs::path index_file = files.path("test.index");
  PlanetoidRows rows;
  rows.test_of_line = read_test_index(index_file, all.num_rows());
  if (static_cast<int64_t>(rows.test_of_line.size()) != test.num_rows()) {
    fail_in(
        index_file,
        fmt::format("has {} node ids but {} has {} rows; expected one id "
                    "for each",
                    rows.test_of_line.size(),
                    test.feature_file.filename().string(), test.num_rows()));
  }
  const fs::path graph_file = files.path("graph");
  const NeighbourLists lists = read_neighbour_lists(graph_file);
  const RowOfNode row_of_node =
      match_rows(lists, rows.test_of_line, all.num_rows(), graph_file);
  raw.num_nodes = static_cast<int64_t>(row_of_node.size());
  raw.num_classes = all.num_classes;
  raw.edges = lists.edges;
  raw.features = gather_features(all, test, row_of_node);
  raw.labels = gather_labels(all, test, row_of_node);
  note_unlabelled(row_of_node, raw);
  note_one_way(raw);
  for (const char* part :
       {"x", "y", "tx", "ty", "allx", "ally", "graph", "test.index"}) {
    raw.provenance.files.push_back(files.path(part).string());
  }
  rows.num_nodes = raw.num_nodes;
  rows.num_train = train.num_rows();
  rows.num_labelled = all.num_rows();
  return rows;
}

void use_planetoid_split(const std::string& split_set,
                         const PlanetoidRows& rows, RawDataset& raw) {
  raw.splits = {
      planetoid_split(split_set, rows, fmt::format("dataset '{}'", raw.name))};
  raw.split_set = split_set;
  const int64_t* const label = raw.labels.data_ptr<int64_t>();
  const int64_t unlabelled = std::count(label, label + raw.num_nodes, -1);
  if (split_set == kPlanetoidFull && unlabelled > 0) {
    raw.provenance.notes.push_back(
        fmt::format("the training part of {} counts all nodes left over, {} "
                    "unlabelled ones included; nothing is learned from those",
                    split_set, unlabelled));
  }
}

void attach_splits(const PlanetoidFiles& files, const LoadOptions& options,
                   const PlanetoidRows& rows, RawDataset& raw) {
  const std::string& wanted = options.split_set;
  if (wanted == "none") return;
  if (wanted != "auto" && wanted != kGeomGcnSplitSet) {
    return use_planetoid_split(wanted, rows, raw);
  }
  std::vector<fs::path> folders = options.split_folders;
  for (const char* place :
       {".", "../splits", "../geom-gcn/splits", "../../splits"}) {
    folders.push_back((files.folder / place).lexically_normal());
  }
  const std::string prefix = options.split_prefix.empty()
                                 ? core::lower_case(raw.name)
                                 : options.split_prefix;
  if (wanted == kGeomGcnSplitSet ||
      !find_geom_gcn_splits(folders, prefix).empty()) {
    return attach_geom_gcn_splits(raw, folders, prefix, /*required=*/true);
  }
  try {
    use_planetoid_split(kPlanetoidPublic, rows, raw);
  } catch (const Error& error) {
    raw.provenance.notes.push_back(fmt::format("no splits: {}", error.what()));
  }
}

}  // namespace

bool is_planetoid(const fs::path& path) {
  return !list_planetoid(path).empty();
}

RawDataset load_planetoid(const fs::path& path, const LoadOptions& options) {
  const PlanetoidFiles files = find_planetoid(path, options.name);
  RawDataset raw;
  raw.name = options.name.empty() ? files.name : options.name;
  raw.provenance.format = "planetoid";
  const PlanetoidRows rows = read_dataset(files, raw);
  attach_splits(files, options, rows, raw);
  validate(raw);
  return raw;
}

}  // namespace ordered_gnn::data
