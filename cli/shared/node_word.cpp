#include "shared/node_word.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/affixes.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kNumberPrefix = "number:";

// The number of a node that the text is; -1 for none.
int64_t node_number(std::string_view text, const NodeDataset& data) {
  int64_t number = -1;
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, number);
  const bool is_node = status == std::errc{} && stop == end && number >= 0 &&
                       number < data.num_nodes();
  return is_node ? number : -1;
}

[[noreturn]] void fail_unknown_node(const std::string& word,
                                    const NodeDataset& data) {
  const std::vector<std::string>& names = data.node_names;
  std::string why = fmt::format("--node {}: '{}' has nodes 0 to {}", word,
                                data.name, data.num_nodes() - 1);
  if (!names.empty()) {
    const std::string nearest = core::nearest_name(word, names);
    why += nearest.empty()
               ? fmt::format(", or their names, for example '{}'", names[0])
               : fmt::format(" and none with this name; did you mean '{}'?",
                             nearest);
  }
  throw UsageError(why);
}

}  // namespace

NamedNode find_node(const std::string& word, const NodeDataset& data) {
  std::string_view rest = word;
  if (core::take_prefix(rest, kNumberPrefix)) {
    const int64_t number = node_number(rest, data);
    if (number >= 0) return {number, ""};
  }
  const std::vector<std::string>& names = data.node_names;
  const int64_t number = node_number(word, data);
  const auto named = std::find(names.begin(), names.end(), word);
  if (named == names.end() || word.empty()) {
    if (number < 0) fail_unknown_node(word, data);
    if (names.empty()) return {number, ""};
    return {number,
            fmt::format("--node {}: no node has this name; taken as the "
                        "number of node '{}'",
                        word, names[static_cast<size_t>(number)])};
  }
  const int64_t node = named - names.begin();
  const auto again = std::find(named + 1, names.end(), word);
  if (again != names.end()) {
    throw UsageError(fmt::format(
        "--node {}: {} nodes have this name; say which with number:{}, "
        "number:{}, ...",
        word, std::count(named, names.end(), word), node,
        again - names.begin()));
  }
  if (number < 0 || number == node) return {node, ""};
  return {node, fmt::format("--node {0}: taken as the name of a node, not as "
                            "the number of node '{1}'; that is number:{0}",
                            word, names[static_cast<size_t>(number)])};
}

}  // namespace ordered_gnn::cli
