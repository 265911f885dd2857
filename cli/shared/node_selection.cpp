#include "shared/node_selection.h"

#include <fmt/format.h>

#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/io/text/text.h"
#include "data/formats/csv/nodes.h"
#include "data/formats/csv/table.h"
#include "data/formats/name_index.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::cli {
namespace {

// Finds nodes by name, or by number where they have no names.
class NodeFinder {
 public:
  explicit NodeFinder(const NodeDataset& data) : data_(data) {
    const int64_t twice = index_.build(data.node_names);
    if (twice < 0) return;
    fail("'{}' has two nodes called '{}', so that no file can tell them apart",
         data.name, data.node_names[static_cast<size_t>(twice)]);
  }

  /// -1 when there is none.
  int64_t find(std::string_view name) const {
    if (!data_.node_names.empty()) return index_.find(name);
    const int64_t number = data::plain_number(name).value_or(-1);
    return number < data_.num_nodes() ? number : -1;
  }

  std::string known() const {
    return data_.node_names.empty()
               ? fmt::format("nodes are 0 to {}", data_.num_nodes() - 1)
               : fmt::format("a node is called '{}', for one",
                             data_.node_names[0]);
  }

 private:
  const NodeDataset& data_;
  data::NameIndex index_;
};

bool is_header(std::string_view name, bool has_more_columns) {
  return has_more_columns || name == "node";
}

std::vector<int64_t> nodes_in_file(const std::string& file,
                                   const NodeDataset& data) {
  const NodeFinder finder(data);
  core::LineReader reader(file);
  std::vector<int64_t> nodes;
  std::unordered_map<int64_t, int64_t> line_of;
  bool is_first = true;
  for (std::string_view line; reader.next(line);) {
    if (core::trimmed(line).empty()) continue;
    const bool may_be_header = std::exchange(is_first, false);
    data::CsvFields fields(line, reader.place(), 0);
    const std::string name(fields.take());
    const int64_t node = finder.find(name);
    if (node < 0 && may_be_header && is_header(name, !fields.done())) {
      continue;
    }
    if (node < 0) {
      fail_at(reader.place(),
              fmt::format("'{}' has no node '{}'; {}, and a name ends at the "
                          "first comma unless it is in quotes",
                          data.name, name, finder.known()));
    }
    const auto added = line_of.emplace(node, reader.place().line);
    if (!added.second) {
      fail_at(reader.place(), fmt::format("node '{}' is on line {} already",
                                          name, added.first->second));
    }
    nodes.push_back(node);
  }
  if (nodes.empty()) fail_in(file, "names no node");
  return nodes;
}

std::vector<int64_t> nodes_by_label(const NodeDataset& data, bool labelled) {
  const at::Tensor labels = data.labels.contiguous();
  const int64_t* const label = labels.data_ptr<int64_t>();
  std::vector<int64_t> nodes;
  for (int64_t v = 0; v < data.num_nodes(); ++v) {
    if ((label[v] >= 0) == labelled) nodes.push_back(v);
  }
  if (nodes.empty()) {
    fail("--only {0}: '{1}' has no {0} node",
         labelled ? "labelled" : "unlabelled", data.name);
  }
  return nodes;
}

}  // namespace

std::vector<int64_t> selected_nodes(const std::string& only,
                                    const NodeDataset& data) {
  if (only == "labelled") return nodes_by_label(data, true);
  if (only == "unlabelled") return nodes_by_label(data, false);
  if (!only.empty()) {
    if (!data::is_there(only)) {
      throw UsageError(fmt::format(
          "--only takes labelled, unlabelled or a file with names of nodes; "
          "there is no file '{}'",
          only));
    }
    return nodes_in_file(only, data);
  }
  std::vector<int64_t> nodes(static_cast<size_t>(data.num_nodes()));
  std::iota(nodes.begin(), nodes.end(), int64_t{0});
  return nodes;
}

}  // namespace ordered_gnn::cli
