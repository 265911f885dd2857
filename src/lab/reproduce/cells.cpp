#include "lab/reproduce/cells.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <optional>

#include "core/affixes.h"
#include "data/fetch/dataset_files.h"
#include "lab/runs/split_worker.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/splits.h"
#include "train/train_validated.h"

namespace ordered_gnn::lab {
namespace {

// A root as another machine would spell it.
std::string root_text(const std::filesystem::path& root) {
  const char* const variable = std::getenv("OGNN_DATA");
  if (variable != nullptr && root == variable) return "$OGNN_DATA";
  const char* const home = std::getenv("HOME");
  const std::string text = root.string();
  std::string_view rest = text;
  const bool at_home = home != nullptr && core::take_prefix(rest, home) &&
                       core::starts_with(rest, "/");
  return at_home ? "~" + std::string(rest) : text;
}

// Which files of a named dataset are missing where; nothing when a root has
// them all, or it is no named dataset.
std::optional<std::string> missing_files_text(const DataOptions& data) {
  const NamedDataset* const named = find_named_dataset(data.data);
  if (named == nullptr || data.format != "auto") return std::nullopt;
  std::optional<data::DatasetFiles> best;
  std::filesystem::path best_root;
  std::vector<std::string> roots;
  for (const std::filesystem::path& root : data_roots(data.data_root)) {
    const data::DatasetFiles found = data::find_dataset_files(*named, root);
    if (found.complete()) return std::nullopt;
    roots.push_back(root_text(root));
    if (!best || found.missing.size() < best->missing.size()) {
      best = found;
      best_root = root;
    }
  }
  if (!best) return std::nullopt;
  const std::string folder =
      root_text(best_root) + "/" +
      best->folder.lexically_relative(best_root).generic_string();
  return fmt::format(
      "{} not found in {} (searched in {}); see 'ognn data fetch {}'",
      fmt::join(best->missing, ", "), folder, fmt::join(roots, ", "),
      named->name);
}

std::vector<int64_t> splits_of(const PlannedCell& cell,
                               const NodeDataset& data) {
  std::vector<int64_t> splits =
      parse_split_list(cell.splits, static_cast<int64_t>(data.splits.size()));
  const auto most = static_cast<size_t>(cell.most_splits);
  if (most > 0 && splits.size() > most) splits.resize(most);
  for (const int64_t split : splits) training::require_split(data, split);
  return splits;
}

std::vector<int64_t> seeds_of(const PlannedCell& cell,
                              const NodeDataset& data) {
  if (!cell.seeds.empty()) return cell.seeds;
  std::vector<int64_t> seeds(static_cast<size_t>(
      data.splits.size() > 1 ? cell.seeds_of_many : cell.seeds_of_one));
  std::iota(seeds.begin(), seeds.end(), cell.options.train.seed);
  return seeds;
}

}  // namespace

CellResult empty_result(const PlannedCell& cell) {
  CellResult result;
  result.row = cell.row;
  result.column = cell.column;
  result.recipe = cell.recipe;
  result.dataset = cell.options.data.data;
  result.metric = cell.options.train.metric;
  result.published = cell.published;
  result.measured = cell.measured;
  result.against = cell.against;
  result.together = cell.together;
  return result;
}

std::string one_line(const std::string& text) {
  std::string out;
  for (const char c : text) {
    const bool blank = c == '\n' || c == '\r' || c == '\t' || c == ' ';
    if (!blank) {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

void mark_unable(const DataOptions& data, const std::string& error,
                 CellResult& cell) {
  const std::optional<std::string> missing = missing_files_text(data);
  cell.status = missing ? CellStatus::missing : CellStatus::failed;
  cell.reason = missing ? *missing : one_line(error);
  cell.runs.clear();
}

std::filesystem::path model_folder(const std::filesystem::path& models,
                                   const ReadyCell& cell, size_t run) {
  return models / fmt::format("{}-{}", cell.result.column,
                              cell.keys.at(run).substr(0, 12));
}

ReadyCell make_ready(const PlannedCell& cell, const BatchOptions& batch,
                     DatasetCache& datasets) {
  ReadyCell ready;
  ready.result = empty_result(cell);
  if (!cell.unable.empty()) {
    ready.result.status = CellStatus::missing;
    ready.result.reason = cell.unable;
    return ready;
  }
  try {
    RunOptions run = cell.options;
    const NodeDataset& data = datasets.get(run);
    ready.result.fingerprint = data.provenance.fingerprint;
    const std::vector<int64_t> splits = splits_of(cell, data);
    for (const int64_t seed : seeds_of(cell, data)) {
      run.train.seed = seed;
      for (const int64_t split : splits) {
        ready.runs.push_back({run, split, {}});
        ready.keys.push_back(run_key(ready.runs.back(), batch, datasets));
      }
    }
  } catch (const Error& error) {
    ready.runs.clear();
    ready.keys.clear();
    mark_unable(cell.options.data, error.what(), ready.result);
  }
  return ready;
}

}  // namespace ordered_gnn::lab
