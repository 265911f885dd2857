#include <map>

#include "core/affixes.h"
#include "core/names.h"
#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

// A run for every split, with the mean score of its seeds.
std::vector<RunScore> split_means(const CellResult& cell) {
  std::map<int64_t, std::vector<double>> scores;
  for (const CellRun& run : cell.runs) scores[run.split].push_back(run.score);
  std::vector<RunScore> means;
  for (const auto& [split, own] : scores) {
    means.push_back({split, /*seed=*/0, describe(own).mean});
  }
  return means;
}

// What models say together has no seed of its own: it is held against what
// each of them says, on the mean.
CellComparison compare_cells(const CellResult& cell, const CellResult& other) {
  const auto scores =
      cell.together || other.together ? split_means : run_scores;
  return {cell.row, other.row, cell.column,
          compare_runs(scores(cell), scores(other))};
}

// Variants of Ordered GNN are called "Ordered GNN, variant".
bool is_ordered_gnn(const std::string& row) {
  return row == kOrderedGnn ||
         core::starts_with(row, std::string(kOrderedGnn) + ", ");
}

// Variants of one system are no rivals of each other.
bool are_rivals(const std::string& row, const std::string& other) {
  return row != other && !(is_ordered_gnn(row) && is_ordered_gnn(other));
}

// Against the rival that is furthest ahead, the first of equals.
std::optional<Standing> standing_in(const ExperimentResult& result,
                                    const std::string& row,
                                    const std::string& column) {
  const CellResult* const own = find_cell(result, row, column);
  if (own == nullptr || own->status != CellStatus::done) return std::nullopt;
  std::optional<Standing> nearest;
  for (const CellResult& cell : result.cells) {
    if (cell.column != column || cell.status != CellStatus::done) continue;
    if (!are_rivals(row, cell.row)) continue;
    const PairedComparison paired = compare_cells(*own, cell).paired;
    if (paired.difference.count == 0) continue;
    if (nearest && paired.difference.mean >= nearest->paired.difference.mean) {
      continue;
    }
    nearest = Standing{column, row, cell.row, paired, Standing::Place::level};
  }
  if (nearest && !nearest->paired.inside_noise) {
    nearest->place = nearest->paired.difference.mean > 0
                         ? Standing::Place::best
                         : Standing::Place::behind;
  }
  return nearest;
}

}  // namespace

std::vector<CellComparison> paired_comparisons(const ExperimentResult& result) {
  std::vector<CellComparison> comparisons;
  for (const CellResult& cell : result.cells) {
    if (cell.against.empty()) continue;
    const CellResult* const other =
        find_cell(result, cell.against, cell.column);
    const bool both = other != nullptr && cell.status == CellStatus::done &&
                      other->status == CellStatus::done;
    if (both) comparisons.push_back(compare_cells(cell, *other));
  }
  return comparisons;
}

std::string to_string(Standing::Place place) {
  return core::word_of(place, {{Standing::Place::best, "best"},
                               {Standing::Place::level, "level"},
                               {Standing::Place::behind, "behind"}});
}

std::vector<Standing> standings(const ExperimentResult& result) {
  if (!report_of(result).ranks_rows || result.cells.empty()) return {};
  // Its rival is not here.
  if (!result.cells.front().against.empty()) return {};
  std::vector<std::string> subjects = {result.cells.front().row};
  if (subjects.front() != kOurSettings) subjects.emplace_back(kOurSettings);
  std::vector<Standing> standings;
  for (const std::string& subject : subjects) {
    for (const std::string& column : columns_of(result)) {
      std::optional<Standing> standing = standing_in(result, subject, column);
      if (standing) standings.push_back(std::move(*standing));
    }
  }
  return standings;
}

}  // namespace ordered_gnn::lab
