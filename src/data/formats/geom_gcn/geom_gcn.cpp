#include "data/formats/geom_gcn/geom_gcn.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

#include "core/io/text/text.h"
#include "data/formats/edge_list.h"
#include "data/formats/geom_gcn/features.h"
#include "data/formats/geom_gcn/splits.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEdgeFile = "out1_graph_edges.txt";
constexpr const char* kNodeFile = "out1_node_feature_label.txt";

fs::path require_file(const fs::path& folder, const char* name) {
  const fs::path path = core::plain_or_gzipped(folder / name);
  if (!is_there(path)) {
    fail_in(folder, fmt::format("there is no {} or {}.gz in this folder; the "
                                "Geom-GCN format needs {} and {}",
                                name, name, kEdgeFile, kNodeFile));
  }
  return path;
}

// The header carries nothing but feature_amount. Without one the first line of
// data would be lost, so a line that starts with a number is refused.
std::string_view read_header(core::LineReader& reader, const fs::path& path,
                             const char* example) {
  std::string_view line;
  if (!reader.next(line)) {
    fail_in(path, fmt::format("the file is empty; expected a header line such "
                              "as '{}'",
                              example));
  }
  const bool starts_with_number =
      !line.empty() && (line[0] == '-' || (line[0] >= '0' && line[0] <= '9'));
  if (starts_with_number) {
    fail_at(
        reader.place(),
        fmt::format("expected a header line such as '{}', got data", example));
  }
  return line;
}

struct NodeLine {
  int64_t id;
  int64_t line;
  int64_t row;  // position in the file
  int64_t label;
};

struct NodeFile {
  fs::path path;
  std::vector<NodeLine> nodes;  // by id once checked
  GeomGcnFeatures features;
};

NodeLine parse_node_line(std::string_view text, const SourceLine& place,
                         GeomGcnFeatures& features) {
  const size_t first = text.find('\t');
  const size_t last = text.rfind('\t');
  if (first == std::string_view::npos || first == last ||
      text.find('\t', first + 1) != last) {
    fail_at(place,
            "expected three tab-separated columns: node id, features, "
            "label");
  }
  NodeLine node{};
  node.id = core::parse_integer(text.substr(0, first), "node id", place);
  if (node.id < 0) {
    fail_at(place,
            fmt::format("expected a node id of at least 0, got {}", node.id));
  }
  node.line = place.line;
  node.row = features.rows().num_rows();
  node.label = core::parse_integer(text.substr(last + 1), "label", place);
  if (node.label < -1 || node.label >= kMaxClasses) {
    fail_at(place, fmt::format("node {} has label {}; expected a class in [0, "
                               "{}) or -1 for an unlabelled node",
                               node.id, node.label, kMaxClasses));
  }
  features.add_row(text.substr(first + 1, last - first - 1), place);
  return node;
}

// Sorts the nodes by id and checks that the ids are 0 .. N-1, each once.
void order_by_id(const fs::path& path, std::vector<NodeLine>& nodes) {
  const auto by_id = [](const NodeLine& a, const NodeLine& b) {
    return std::pair(a.id, a.line) < std::pair(b.id, b.line);
  };
  std::sort(nodes.begin(), nodes.end(), by_id);
  for (size_t i = 1; i < nodes.size(); ++i) {
    if (nodes[i].id == nodes[i - 1].id) {
      fail_at({path, nodes[i].line},
              fmt::format("node {} was already given in line {}", nodes[i].id,
                          nodes[i - 1].line));
    }
  }
  const int64_t count = static_cast<int64_t>(nodes.size());
  for (int64_t i = 0; i < count; ++i) {
    if (nodes[i].id != i) {
      fail_at({path, nodes[i].line},
              fmt::format("found node {} but no line for node {}; the ids of "
                          "{} nodes must be 0 to {}, each once",
                          nodes[i].id, i, count, count - 1));
    }
  }
}

NodeFile read_nodes(const fs::path& path) {
  core::LineReader reader(path);
  const std::string_view header =
      read_header(reader, path, "node_id<TAB>feature<TAB>label");
  NodeFile file{path, {}, GeomGcnFeatures(header, reader.place())};
  std::string_view line;
  while (reader.next(line)) {
    if (line.empty()) continue;
    file.nodes.push_back(parse_node_line(line, reader.place(), file.features));
  }
  if (file.nodes.empty()) fail_in(path, "there are no nodes after the header");
  order_by_id(path, file.nodes);
  return file;
}

int64_t parse_edge_end(std::string_view field, int64_t num_nodes,
                       const SourceLine& place) {
  const int64_t id = core::parse_integer(field, "node id", place);
  if (id < 0 || id >= num_nodes) {
    fail_at(place, fmt::format("expected a node id in [0, {}), got {}; every "
                               "edge end needs a line in {}",
                               num_nodes, id, kNodeFile));
  }
  return id;
}

struct Edge {
  int64_t from = 0;
  int64_t to = 0;
};

// The common case without the cost of naming a place; false leaves the line
// to the parser that explains.
bool parse_edge_quickly(std::string_view line, int64_t num_nodes, Edge& edge) {
  const char* const end = line.data() + line.size();
  const auto [tab, first] = std::from_chars(line.data(), end, edge.from);
  if (first != std::errc{} || tab == end || *tab != '\t') return false;
  const auto [stop, second] = std::from_chars(tab + 1, end, edge.to);
  return second == std::errc{} && stop == end && edge.from >= 0 &&
         edge.from < num_nodes && edge.to >= 0 && edge.to < num_nodes;
}

Edge parse_edge(std::string_view line, int64_t num_nodes,
                const SourceLine& place) {
  const size_t tab = line.find('\t');
  if (tab == std::string_view::npos) {
    fail_at(place, fmt::format("expected 'from<TAB>to', got '{}'",
                               line.substr(0, 80)));
  }
  return {parse_edge_end(line.substr(0, tab), num_nodes, place),
          parse_edge_end(line.substr(tab + 1), num_nodes, place)};
}

at::Tensor read_edges(const fs::path& path, int64_t num_nodes) {
  core::LineReader reader(path);
  read_header(reader, path, "node_id<TAB>node_id");
  EdgeList list(path.string());
  std::string_view line;
  while (reader.next(line)) {
    if (line.empty()) continue;
    Edge edge;
    if (!parse_edge_quickly(line, num_nodes, edge)) {
      edge = parse_edge(line, num_nodes, reader.place());
    }
    list.add(edge.from, edge.to);
  }
  return list.tensor();
}

void fill_nodes(const NodeFile& file, RawDataset& raw) {
  raw.num_nodes = static_cast<int64_t>(file.nodes.size());
  raw.labels = at::empty({raw.num_nodes}, at::kLong);
  int64_t* const labels = raw.labels.data_ptr<int64_t>();
  std::vector<int64_t> row_of_node(raw.num_nodes);
  for (const NodeLine& node : file.nodes) {
    labels[node.id] = node.label;
    row_of_node[node.id] = node.row;
    raw.num_classes = std::max(raw.num_classes, node.label + 1);
  }
  const GeomGcnFeatures& features = file.features;
  raw.features = features.rows().build(row_of_node, features.num_features());
  if (features.num_rows_with_repeats() > 0) {
    raw.provenance.notes.push_back(
        fmt::format("{} nodes repeat a feature index; it counts once",
                    features.num_rows_with_repeats()));
  }
  const int64_t announced = features.announced_width();
  if (announced >= 0 && announced != features.num_features()) {
    raw.provenance.notes.push_back(
        fmt::format("the header announces {} features, the indices need {}",
                    announced, features.num_features()));
  }
}

void attach_splits(const fs::path& folder, const LoadOptions& options,
                   RawDataset& raw) {
  if (options.split_set == "none") return;
  std::vector<fs::path> folders = options.split_folders;
  folders.push_back(folder);
  folders.push_back((folder / ".." / ".." / "splits").lexically_normal());
  const std::string& prefix =
      options.split_prefix.empty() ? raw.name : options.split_prefix;
  attach_geom_gcn_splits(raw, folders, prefix, options.split_set != "auto");
}

}  // namespace

bool is_geom_gcn_folder(const fs::path& folder) {
  return is_there(core::plain_or_gzipped(folder / kEdgeFile)) ||
         is_there(core::plain_or_gzipped(folder / kNodeFile));
}

RawDataset load_geom_gcn(const fs::path& folder, const LoadOptions& options) {
  RawDataset raw;
  raw.name = options.name.empty() ? name_from_path(folder) : options.name;
  raw.provenance.format = "geom-gcn";
  const fs::path node_file = require_file(folder, kNodeFile);
  const fs::path edge_file = require_file(folder, kEdgeFile);
  raw.provenance.files = {node_file.string(), edge_file.string()};
  fill_nodes(read_nodes(node_file), raw);
  raw.edges = read_edges(edge_file, raw.num_nodes);
  attach_splits(folder, options, raw);
  validate(raw);
  return raw;
}

}  // namespace ordered_gnn::data
