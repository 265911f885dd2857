#include <algorithm>
#include <vector>

#include "core/io/text/text.h"
#include "fuzz/harness.h"
#include "fuzz/page_checks.h"
#include "fuzz/parts.h"
#include "fuzz/targets.h"
#include "lab/report/node_browser.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn {

namespace {

constexpr size_t kMostNodes = 2000;

std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  core::FieldCursor cursor(text, '\n');
  for (std::string_view line; cursor.next(line);) lines.emplace_back(line);
  return lines;
}

// The numbers of a list, whatever it is.
template <typename T>
std::vector<T> numbers_of(const Json& about, const char* key) {
  std::vector<T> numbers;
  if (!about.contains(key) || !about[key].is_array()) return numbers;
  for (const Json& value : about[key]) {
    if (!value.is_number() || numbers.size() == kMostNodes) break;
    if constexpr (std::is_integral_v<T>) {
      numbers.push_back(
          static_cast<T>(value.is_number_integer() ? value.get<int64_t>() : 0));
    } else {
      numbers.push_back(value.get<T>());
    }
  }
  return numbers;
}

// Edges from a list of their ends; those beyond the nodes are left out.
Adjacency neighbours_of(const Json& about, int64_t num_nodes) {
  const std::vector<int64_t> ends = numbers_of<int64_t>(about, "edges");
  std::vector<std::pair<int64_t, int64_t>> edges;
  const auto is_node = [&](int64_t v) { return v >= 0 && v < num_nodes; };
  for (size_t i = 0; i + 1 < ends.size(); i += 2) {
    if (is_node(ends[i]) && is_node(ends[i + 1])) {
      edges.emplace_back(ends[i], ends[i + 1]);
    }
  }
  return Graph::from_edges(num_nodes, edges).in();
}

lab::NodeBrowser browser_of(const Json& about) {
  lab::NodeBrowser nodes;
  nodes.label = numbers_of<int64_t>(about, "label");
  nodes.predicted = numbers_of<int64_t>(about, "predicted");
  nodes.confidence = numbers_of<float>(about, "confidence");
  nodes.homophily = numbers_of<float>(about, "homophily");
  nodes.degree = numbers_of<int64_t>(about, "degree");
  nodes.part = numbers_of<uint8_t>(about, "part");
  nodes.hop_shares = numbers_of<float>(about, "shares");
  if (!nodes.label.empty()) {
    nodes.num_shares =
        static_cast<int64_t>(nodes.hop_shares.size() / nodes.label.size());
    nodes.in = neighbours_of(about, nodes.num_nodes());
  }
  nodes.details = about.value("details", Json());
  return nodes;
}

[[noreturn]] void give_up(const std::string& name, const char* why) {
  std::fprintf(stderr, "nodes-%s %s\n", name.c_str(), why);
  std::abort();
}

std::string_view content_of(std::string_view html, const std::string& name) {
  const std::string open = "id=\"nodes-" + name + "\">";
  const size_t begin = html.find(open);
  if (begin == std::string_view::npos) give_up(name, "is missing");
  html.remove_prefix(begin + open.size());
  return html.substr(0, html.find("</script>"));
}

// Bytes that the content stands for, as atob() takes it.
size_t decoded_size(const std::string& name, std::string_view content) {
  const size_t padding = std::min(content.find('='), content.size());
  const size_t rest = content.size() - padding;
  if (content.size() % 4 != 0 || rest > 2 ||
      content.find_first_not_of('=', padding) != std::string_view::npos ||
      content.substr(0, padding)
              .find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                 "abcdefghijklmnopqrstuvwxyz0123456789+/") !=
          std::string_view::npos) {
    give_up(name, "is no base64");
  }
  return content.size() / 4 * 3 - rest;
}

// The page's script must be able to read all of it, see node_data.js.
void require_readable(const lab::NodeBrowser& nodes, std::string_view html) {
  fuzz::require_closed_scripts(html);
  Json about;
  for (const std::string name : {"about", "names", "details"}) {
    about = Json::parse(content_of(html, name), nullptr,
                        /*allow_exceptions=*/false);
    if (about.is_discarded()) give_up(name, "is no JSON");
  }
  about = Json::parse(content_of(html, "about"));
  const size_t width = about.at("wide").get<bool>() ? 2 : 1;
  for (const std::string name : {"label", "predicted"}) {
    if (decoded_size(name, content_of(html, name)) !=
        width * nodes.label.size()) {
      give_up(name, "has not one class for every node");
    }
  }
  for (const std::string name :
       {"confidence", "homophily", "degree", "part", "neighbours"}) {
    decoded_size(name, content_of(html, name));
  }
  if (decoded_size("shares", content_of(html, "shares")) !=
      nodes.label.size() * about.at("shares").get<size_t>()) {
    give_up("shares", "has not one row for every node");
  }
}

}  // namespace

// What a page says of nodes: `about`, JSON with lists of numbers, `classes` and
// `names`, a name a line of any bytes.
void fuzz::try_node_data(std::string_view input) {
  Json about;
  std::vector<std::string> classes, names;
  for (const fuzz::Part& part : fuzz::split_parts(input)) {
    if (part.name == "about") {
      about = Json::parse(part.bytes, nullptr, /*allow_exceptions=*/false);
    }
    if (part.name == "classes") classes = lines_of(part.bytes);
    if (part.name == "names") names = lines_of(part.bytes);
  }
  if (!about.is_object()) fail("there is nothing about the nodes");
  lab::NodeBrowser nodes = browser_of(about);
  nodes.class_names = classes;
  nodes.node_names = names;
  for (const int64_t room : {0, 1000, 1000000}) {
    require_readable(nodes, lab::pack_nodes(nodes, room).html);
  }
}

}  // namespace ordered_gnn
