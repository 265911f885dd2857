#include "data/formats/ogb/tables.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <string_view>

#include "core/io/text/text.h"
#include "data/formats/dense_rows.h"
#include "data/formats/edge_list.h"
#include "data/formats/parse_value.h"
#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// Beyond any calendar, and small enough to compare quantiles in integers.
constexpr int64_t kMaxYear = int64_t{1000000000000};

// Calls body(line, place) for every line that is not blank.
template <typename Body>
void for_each_line(const fs::path& file, const Body& body) {
  core::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (!line.empty()) body(line, reader.place());
  }
}

// The same for a file of as many lines as stated. One more ends it: a small
// gzip file can hold any number of them.
template <typename Body>
void for_each_stated(const fs::path& file, const char* what,
                     const OgbCount& stated, const Body& body) {
  const auto refuse = [&](const std::string& found) {
    fail_in(file, fmt::format("has {} {}, but {} states {}; one of the files "
                              "is damaged or of another dataset",
                              found, what, stated.file.string(), stated.count));
  };
  int64_t count = 0;
  for_each_line(file, [&](std::string_view line, const SourceLine& place) {
    if (count++ == stated.count) refuse("more");
    body(line, place);
  });
  if (count != stated.count) refuse(std::to_string(count));
}

int64_t parse_node(std::string_view field, const OgbCount& nodes,
                   const SourceLine& place) {
  const int64_t node = core::parse_integer(field, "node number", place);
  if (node < 0 || node >= nodes.count) {
    fail_at(place, fmt::format("expected a node number in [0, {}) as {} "
                               "states, got {}",
                               nodes.count, nodes.file.string(), node));
  }
  return node;
}

void parse_edge(std::string_view line, const OgbCount& nodes,
                const SourceLine& place, EdgeList& edges) {
  const size_t comma = line.find(',');
  if (comma == std::string_view::npos) {
    fail_at(place,
            fmt::format("expected 'FROM,TO', got '{}'", line.substr(0, 80)));
  }
  edges.add(parse_node(line.substr(0, comma), nodes, place),
            parse_node(line.substr(comma + 1), nodes, place));
}

// Whole numbers that went through floating point are common: "3.0".
std::optional<int64_t> parse_whole(std::string_view field) {
  if (const auto integer = parse_value<int64_t>(field)) return integer;
  constexpr double kExact = 9007199254740992;  // 2^53
  const auto number = parse_value<double>(field);
  if (!number || std::abs(*number) > kExact) return std::nullopt;
  const int64_t whole = static_cast<int64_t>(*number);
  if (static_cast<double>(whole) != *number) return std::nullopt;
  return whole;
}

bool is_nan(std::string_view field) {
  return field == "nan" || field == "NaN" || field == "NAN";
}

int64_t parse_label(std::string_view field, const SourceLine& place) {
  if (is_nan(field)) return -1;
  const std::optional<int64_t> label = parse_whole(field);
  if (!label || *label < 0 || *label >= kMaxClasses) {
    fail_at(place, fmt::format("expected a class in [0, {}) or nan for an "
                               "unlabelled node, got '{}'",
                               kMaxClasses, field.substr(0, 40)));
  }
  return *label;
}

int64_t parse_year(std::string_view field, const SourceLine& place) {
  const std::optional<int64_t> year = parse_whole(field);
  if (!year || *year < -kMaxYear || *year > kMaxYear) {
    fail_at(place,
            fmt::format("expected a year, got '{}'", field.substr(0, 40)));
  }
  return *year;
}

}  // namespace

OgbCount read_ogb_count(const fs::path& file) {
  std::vector<int64_t> counts;
  for_each_line(file, [&](std::string_view line, const SourceLine& place) {
    if (!counts.empty()) {
      fail_at(place,
              "expected one number; a dataset of several graphs is not "
              "one for node classification");
    }
    counts.push_back(core::parse_integer(line, "count", place));
    if (counts[0] < 0) {
      fail_at(place, fmt::format("expected a count, got {}", counts[0]));
    }
  });
  if (counts.empty()) fail_in(file, "the file is empty; expected one number");
  return {file, counts[0]};
}

void walk_ogb_edges(const fs::path& file, const OgbCount& nodes,
                    const OgbCount& edges, int64_t most,
                    const std::function<void(const at::Tensor&)>& on_edges) {
  EdgeList list(file.string());
  for_each_stated(file, "edges", edges,
                  [&](std::string_view line, const SourceLine& place) {
                    if (!quick_edge(line, nodes.count, list)) {
                      parse_edge(line, nodes, place, list);
                    }
                    if (list.size() < most) return;
                    on_edges(list.tensor());
                    list = EdgeList(file.string());
                  });
  if (list.size() > 0) on_edges(list.tensor());
}

at::Tensor read_ogb_edges(const fs::path& file, const OgbCount& nodes,
                          const OgbCount& edges) {
  at::Tensor all = at::empty({2, 0}, at::kLong);
  walk_ogb_edges(file, nodes, edges, std::numeric_limits<int64_t>::max(),
                 [&](const at::Tensor& some) { all = some; });
  return all;
}

int64_t ogb_width(const fs::path& file) {
  core::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (!line.empty()) return 1 + std::count(line.begin(), line.end(), ',');
  }
  return 0;
}

void walk_ogb_features(const fs::path& file, const OgbCount& nodes,
                       int64_t most,
                       const std::function<void(const at::Tensor&)>& on_rows) {
  std::optional<DenseRows> rows;
  int64_t width = 0, left = nodes.count;
  for_each_stated(file, "feature rows", nodes,
                  [&](std::string_view line, const SourceLine& place) {
                    if (width == 0)
                      width = 1 + std::count(line.begin(), line.end(), ',');
                    if (!rows)
                      rows.emplace(width, std::min(most, left), file.string());
                    parse_number_row(line, width, rows->append(), place);
                    --left;
                    if (rows->num_rows() < most) return;
                    on_rows(rows->values());
                    rows.reset();
                  });
  if (rows) on_rows(rows->values());
}

at::Tensor read_ogb_features(const fs::path& file, const OgbCount& nodes) {
  at::Tensor all = at::empty({0, 0}, at::kFloat);
  walk_ogb_features(file, nodes, std::numeric_limits<int64_t>::max(),
                    [&](const at::Tensor& rows) { all = rows; });
  return all;
}

at::Tensor read_ogb_labels(const fs::path& file, const OgbCount& nodes) {
  std::vector<int64_t> labels;
  for_each_stated(
      file, "labels", nodes,
      [&](std::string_view line, const SourceLine& place) {
        if (line.find(',') != std::string_view::npos) {
          fail_at(place,
                  "expected one label a line; several tasks are not read");
        }
        labels.push_back(parse_label(line, place));
      });
  return tensor_of(labels);
}

std::vector<int64_t> read_ogb_years(const fs::path& file,
                                    const OgbCount& nodes) {
  std::vector<int64_t> years;
  for_each_stated(file, "years", nodes,
                  [&](std::string_view line, const SourceLine& place) {
                    years.push_back(parse_year(line, place));
                  });
  return years;
}

at::Tensor read_ogb_nodes(const fs::path& file, const OgbCount& nodes) {
  std::vector<int64_t> list;
  for_each_line(file, [&](std::string_view line, const SourceLine& place) {
    if (static_cast<int64_t>(list.size()) == nodes.count) {
      fail_at(place, fmt::format("names more nodes than the {} that {} states",
                                 nodes.count, nodes.file.string()));
    }
    list.push_back(parse_node(line, nodes, place));
  });
  std::sort(list.begin(), list.end());
  const auto repeat = std::adjacent_find(list.begin(), list.end());
  if (repeat != list.end()) {
    fail_in(file, fmt::format("names node {} more than once", *repeat));
  }
  return tensor_of(list);
}

}  // namespace ordered_gnn::data
