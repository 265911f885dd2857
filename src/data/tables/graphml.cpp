#include "data/tables/graphml.h"

#include <map>
#include <vector>

#include "core/affixes.h"
#include "core/io/gzip_input.h"
#include "core/io/input_file.h"
#include "data/paths.h"
#include "data/tables/xml_reader.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;
using Event = XmlReader::Event;

constexpr int64_t kMaxGraphmlBytes = int64_t{1} << 34;

std::string quoted_cell(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + "\"";
}

// Rows of nodes or edges, each in the line of its element.
class RowText {
 public:
  // Names the columns once, before the first row.
  void begin(const std::vector<std::string>& fixed,
             const std::vector<std::string>& names) {
    if (!text_.empty()) return;
    add_cells(fixed, names);
  }
  void add(int64_t line, const std::vector<std::string>& fixed,
           const std::vector<std::string>& cells) {
    for (; line_ < line; ++line_) text_ += '\n';
    add_cells(fixed, cells);
  }
  std::string take() { return std::move(text_); }

 private:
  void add_cells(const std::vector<std::string>& fixed,
                 const std::vector<std::string>& cells) {
    std::string row;
    for (const auto* part : {&fixed, &cells}) {
      for (const std::string& cell : *part) {
        if (!row.empty()) row += ',';
        row += quoted_cell(cell);
      }
    }
    // A cell may hold line breaks of its own.
    for (const char c : row) line_ += c == '\n' ? 1 : 0;
    text_ += row + "\n";
    ++line_;
  }

  std::string text_;
  int64_t line_ = 1;
};

// The keys that nodes, or edges, may have.
struct Keys {
  std::vector<std::string> ids, names, defaults;

  void add(const std::string& id, const std::string& name) {
    ids.push_back(id);
    names.push_back(name.empty() ? id : name);
    defaults.emplace_back();
  }
  // -1 when there is none.
  int64_t find(const std::string& id) const {
    for (size_t i = 0; i < ids.size(); ++i) {
      if (ids[i] == id) return static_cast<int64_t>(i);
    }
    return -1;
  }
};

class GraphmlReading {
 public:
  explicit GraphmlReading(const fs::path& file)
      : text_(core::read_plain_or_gzipped(file, kMaxGraphmlBytes)),
        xml_(text_, file) {}

  GraphmlTables read() {
    for (;;) {
      const Event event = xml_.next();
      if (event == Event::done) break;
      if (event != Event::begin) {
        if (event == Event::end && xml_.name() == "graph") --depth_;
        continue;
      }
      begin_element();
    }
    if (!saw_graph_) xml_.fail("there is no <graph> element: no GraphML file");
    nodes_.begin({"id"}, node_keys_.names);
    edges_.begin({"source", "target"}, edge_keys_.names);
    GraphmlTables out;
    out.nodes = nodes_.take();
    out.edges = edges_.take();
    out.undirected = undirected_;
    return out;
  }

 private:
  std::string attribute(const char* name) const {
    const auto found = xml_.attributes().find(name);
    return found == xml_.attributes().end() ? "" : found->second;
  }
  std::string required(const char* name) const {
    const auto found = xml_.attributes().find(name);
    if (found == xml_.attributes().end()) {
      xml_.fail(fmt::format("<{}> has no {}", xml_.name(), name));
    }
    return found->second;
  }

  void begin_element() {
    const std::string& name = xml_.name();
    if (name == "key") {
      take_key();
    } else if (name == "graph") {
      saw_graph_ = true;
      if (++depth_ > 1) xml_.fail("a graph inside a graph is not read");
      undirected_ = attribute("edgedefault") != "directed";
    } else if (name == "node") {
      const std::string id = required("id");
      nodes_.begin({"id"}, node_keys_.names);
      const int64_t line = xml_.line();
      nodes_.add(line, {id}, take_data(node_keys_, "node"));
    } else if (name == "edge") {
      const std::string from = required("source");
      const std::string to = required("target");
      check_direction();
      edges_.begin({"source", "target"}, edge_keys_.names);
      const int64_t line = xml_.line();
      edges_.add(line, {from, to}, take_data(edge_keys_, "edge"));
    } else if (name == "hyperedge") {
      xml_.fail("hyperedges are not read");
    }
  }

  void check_direction() {
    const std::string stated = attribute("directed");
    if (stated.empty()) return;
    const bool undirected = stated == "false";
    if (undirected_ && *undirected_ != undirected) {
      xml_.fail("edges of both kinds, directed and undirected, are not read");
    }
    undirected_ = undirected;
  }

  void take_key() {
    const std::string id = required("id");
    const std::string domain = attribute("for");
    const std::string name = attribute("attr.name");
    const bool of_nodes = domain == "node" || domain == "all" || domain.empty();
    const bool of_edges = domain == "edge" || domain == "all" || domain.empty();
    if (of_nodes) node_keys_.add(id, name);
    if (of_edges) edge_keys_.add(id, name);
    bool in_default = false;
    for (;;) {
      const Event event = xml_.next();
      if (event == Event::done) xml_.fail("<key> is not closed");
      if (event == Event::begin) in_default = xml_.name() == "default";
      if (event == Event::text && in_default) {
        if (of_nodes) node_keys_.defaults.back() = xml_.content();
        if (of_edges) edge_keys_.defaults.back() = xml_.content();
      }
      if (event == Event::end && xml_.name() == "key") return;
    }
  }

  // The cells of the element that has begun, up to its end.
  std::vector<std::string> take_data(const Keys& keys, const char* element) {
    std::vector<std::string> cells = keys.defaults;
    int64_t key = -1;
    for (;;) {
      const Event event = xml_.next();
      if (event == Event::done) xml_.fail("an element is not closed");
      if (event == Event::begin && xml_.name() == "data") {
        key = keys.find(required("key"));
        if (key < 0) xml_.fail("<data> names a key that is not declared");
        cells[static_cast<size_t>(key)].clear();
      } else if (event == Event::begin && xml_.name() == "graph") {
        xml_.fail("a graph inside a node is not read");
      } else if (event == Event::text && key >= 0) {
        cells[static_cast<size_t>(key)] += xml_.content();
      } else if (event == Event::end) {
        if (xml_.name() == element) return cells;
        key = -1;
      }
    }
  }

  std::string text_;
  XmlReader xml_;
  Keys node_keys_, edge_keys_;
  RowText nodes_, edges_;
  std::optional<bool> undirected_;
  bool saw_graph_ = false;
  int depth_ = 0;
};

}  // namespace

bool is_graphml(const fs::path& file) {
  if (file.extension() == ".graphml") return true;
  if (!is_there(file) || fs::is_directory(file)) return false;
  char first[64] = {};
  core::GzipInput input(file);
  const size_t count = input.read(first, sizeof(first));
  const std::string_view begin(first, count);
  return core::starts_with(begin, "<?xml") ||
         core::starts_with(begin, "<graphml");
}

GraphmlTables read_graphml(const fs::path& file) {
  return GraphmlReading(file).read();
}

}  // namespace ordered_gnn::data
