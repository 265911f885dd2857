#include "data/tables/edge_table.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "core/affixes.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/formats/edge_list.h"
#include "data/tables/cells.h"
#include "data/tables/delimited_text.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

bool is_comment(std::string_view line) {
  return core::starts_with(line, "#") || core::starts_with(line, "%");
}

class EdgeCollector {
 public:
  EdgeCollector(const fs::path& file, const NameIndex& nodes,
                UnknownEnds unknown)
      : file_(file), nodes_(nodes), unknown_(unknown) {}

  // False when an end is no node and that is to be skipped.
  bool add(std::string_view from, std::string_view to, int64_t line) {
    const int64_t first = find(from, line);
    const int64_t second = find(to, line);
    if (first < 0 || second < 0) {
      ++num_skipped_;
      return false;
    }
    edges_.add(first, second);
    return true;
  }

  void add_weight(std::string_view cell, int64_t line) {
    double weight = 0;
    if (!parse_cell_number(cell, weight) || weight < 0) {
      fail_at({file_, line},
              fmt::format("expected a weight of at least 0, got '{}'",
                          cell.substr(0, 40)));
    }
    weights_.push_back(static_cast<float>(weight));
  }

  EdgeRows finish(std::vector<std::string>& notes) const {
    EdgeRows out;
    out.edges = edges_.tensor();
    out.num_skipped = num_skipped_;
    if (!weights_.empty()) {
      out.weights =
          at::empty({static_cast<int64_t>(weights_.size())}, at::kFloat);
      std::copy(weights_.begin(), weights_.end(),
                out.weights.data_ptr<float>());
    }
    if (num_skipped_ > 0) {
      notes.push_back(
          fmt::format("{} edges have an end that is no node and were left out",
                      num_skipped_));
    }
    return out;
  }
  size_t num_weights() const { return weights_.size(); }
  int64_t num_edges() const { return edges_.size(); }

 private:
  int64_t find(std::string_view name, int64_t line) const {
    const int64_t node = nodes_.find(name);
    if (node < 0 && unknown_ == UnknownEnds::error) {
      fail_at({file_, line},
              fmt::format("'{}' is not among the nodes; add it to the table of "
                          "nodes, or let --unknown-nodes skip leave such edges "
                          "out",
                          name.substr(0, 80)));
    }
    return node;
  }

  const fs::path& file_;
  const NameIndex& nodes_;
  UnknownEnds unknown_;
  EdgeList edges_;
  std::vector<float> weights_;
  int64_t num_skipped_ = 0;
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const size_t begin = line.find_first_not_of(" \t,");
    if (begin == std::string_view::npos) break;
    line.remove_prefix(begin);
    // A dictionary of networkx holds blanks.
    const size_t stop =
        line.front() == '{' ? line.size() : line.find_first_of(" \t,");
    words.push_back(line.substr(0, stop));
    line.remove_prefix(std::min(stop, line.size()));
  }
  return words;
}

// The number behind 'weight' in "{'weight': 2.0, ...}"; empty without.
std::string_view weight_in(std::string_view dictionary) {
  for (const char* const key : {"'weight':", "\"weight\":"}) {
    size_t at = dictionary.find(key);
    if (at == std::string_view::npos) continue;
    at = dictionary.find_first_not_of(' ', at + std::string_view(key).size());
    if (at == std::string_view::npos) return {};
    const size_t stop = dictionary.find_first_of(",} ", at);
    return dictionary.substr(at, stop - at);
  }
  return {};
}

EdgeRows read_list(const fs::path& file, EdgeCollector& edges,
                   const EdgeTableOptions& options,
                   std::vector<std::string>& notes) {
  core::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    line = core::trimmed(line);
    if (line.empty() || is_comment(line)) continue;
    const std::vector<std::string_view> words = words_of(line);
    const int64_t number = reader.place().line;
    if (words.size() < 2) {
      fail_at(reader.place(),
              fmt::format("expected two nodes, got '{}'", line.substr(0, 80)));
    }
    if (!edges.add(words[0], words[1], number)) continue;
    const bool wants_weight = !options.weight.empty();
    if (!wants_weight) continue;
    const std::string_view third = words.size() > 2 ? words[2] : "";
    edges.add_weight(core::starts_with(third, "{") ? weight_in(third) : third,
                     number);
  }
  notes.push_back(fmt::format("{} is read as a list of edges without a header",
                              file.filename().string()));
  return edges.finish(notes);
}

size_t column_or(const DelimitedText& text, const std::string& name,
                 const char* option, size_t fallback) {
  if (!name.empty()) return text.require_column(name, option);
  if (fallback >= text.header().size()) {
    fail_in(text.file(),
            fmt::format("expected two columns of nodes, got the header '{}'",
                        text.header().front()));
  }
  return fallback;
}

EdgeRows read_delimited(const DelimitedText& text, EdgeCollector& edges,
                        const EdgeTableOptions& options,
                        std::vector<std::string>& notes) {
  const size_t source = column_or(text, options.source, "--source", 0);
  const size_t target = column_or(text, options.target, "--target", 1);
  const bool weighted = !options.weight.empty();
  const size_t weight =
      weighted ? text.require_column(options.weight, "--weight") : 0;
  RecordReader records(text);
  std::vector<std::string_view> fields;
  while (records.next(fields)) {
    if (fields.size() != text.header().size()) {
      fail_at(records.place(),
              fmt::format("expected {} fields as in the header, got {}",
                          text.header().size(), fields.size()));
    }
    const int64_t line = records.record_line();
    if (!edges.add(fields[source], fields[target], line)) continue;
    if (weighted) edges.add_weight(fields[weight], line);
  }
  if (options.source.empty() || options.target.empty()) {
    notes.push_back(fmt::format("edges go from '{}' to '{}'",
                                text.header()[source], text.header()[target]));
  }
  std::vector<std::string> unused;
  for (size_t i = 0; i < text.header().size(); ++i) {
    if (i != source && i != target && !(weighted && i == weight)) {
      unused.push_back(text.header()[i]);
    }
  }
  if (!unused.empty()) {
    notes.push_back(fmt::format("columns of the edges that are not used: {}",
                                core::listed(unused)));
  }
  for (const std::string& note : text.notes()) notes.push_back(note);
  return edges.finish(notes);
}

// What the first line of text that is no comment says.
bool looks_like_list(const fs::path& file, const NameIndex& nodes) {
  core::LineReader reader(file);
  std::string_view line;
  while (reader.next(line)) {
    if (core::trimmed(line).empty()) continue;
    if (is_comment(line)) return true;
    const bool has_delimiter =
        line.find_first_of(",;\t|") != std::string_view::npos;
    const std::vector<std::string_view> words = words_of(line);
    if (words.size() < 2) return false;
    if (!has_delimiter) return true;
    return nodes.find(words[0]) >= 0 && nodes.find(words[1]) >= 0;
  }
  return false;
}

}  // namespace

EdgeRows read_edge_table(const DelimitedText& text, const NameIndex& nodes,
                         const EdgeTableOptions& options,
                         std::vector<std::string>& notes) {
  EdgeCollector edges(text.file(), nodes, options.unknown);
  return read_delimited(text, edges, options, notes);
}

EdgeRows read_edge_table(const fs::path& file, const NameIndex& nodes,
                         const EdgeTableOptions& options,
                         std::vector<std::string>& notes) {
  EdgeCollector edges(file, nodes, options.unknown);
  const bool names_columns = !options.source.empty() || !options.target.empty();
  if (!names_columns && looks_like_list(file, nodes)) {
    return read_list(file, edges, options, notes);
  }
  return read_delimited(DelimitedText(file), edges, options, notes);
}

}  // namespace ordered_gnn::data
