#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {
namespace {

std::string unable_markdown(const ExperimentResult& result) {
  std::string text;
  for (const CellResult& cell : result.cells) {
    if (cell.status == CellStatus::done) continue;
    text += fmt::format("- {}, {}: {}: {}\n", cell.column, cell.row,
                        to_string(cell.status), cell.reason);
  }
  return text.empty() ? "" : "No number:\n\n" + text + "\n";
}

// " (0-3)" of several splits without a gap, which may not be all that there
// are.
std::string range_text(std::vector<int64_t> splits) {
  if (splits.size() < 2) return "";
  std::sort(splits.begin(), splits.end());
  const int64_t first = splits.front(), last = splits.back();
  const auto count = static_cast<int64_t>(splits.size());
  return last - first + 1 == count ? fmt::format(" ({}-{})", first, last) : "";
}

std::string seeds_text(const CellResult& cell) {
  std::vector<int64_t> seeds, splits;
  const auto add = [](std::vector<int64_t>& list, int64_t value) {
    for (const int64_t known : list) {
      if (known == value) return;
    }
    list.push_back(value);
  };
  for (const CellRun& run : cell.runs) {
    add(seeds, run.seed);
    add(splits, run.split);
  }
  const std::string text =
      fmt::format("{} split{}{}", splits.size(), splits.size() == 1 ? "" : "s",
                  range_text(splits));
  if (cell.together) return text + ", the models of all seeds together";
  return fmt::format("{}, seed{} {}", text, seeds.size() == 1 ? "" : "s",
                     fmt::join(seeds, ", "));
}

// "10 splits (0-9), seed 42 (texas, wisconsin); 1 split, seeds 42, 43 (cora)".
std::string runs_markdown(const ExperimentResult& result) {
  std::map<std::string, std::vector<std::string>> columns_by_runs;
  for (const CellResult& cell : result.cells) {
    if (cell.status != CellStatus::done) continue;
    std::vector<std::string>& columns = columns_by_runs[seeds_text(cell)];
    if (columns.empty() || columns.back() != cell.column) {
      bool known = false;
      for (const std::string& column : columns) known |= column == cell.column;
      if (!known) columns.push_back(cell.column);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [runs, columns] : columns_by_runs) {
    parts.push_back(fmt::format("{} ({})", runs, fmt::join(columns, ", ")));
  }
  return parts.empty() ? ""
                       : fmt::format("Runs: {}.\n\n", fmt::join(parts, "; "));
}

std::string data_markdown(const ExperimentResult& result) {
  std::map<std::string, std::string> fingerprints;
  for (const CellResult& cell : result.cells) {
    if (!cell.fingerprint.empty()) {
      fingerprints[cell.dataset] = cell.fingerprint.substr(0, 12);
    }
  }
  std::vector<std::string> parts;
  for (const auto& [dataset, fingerprint] : fingerprints) {
    parts.push_back(fmt::format("{} `{}`", dataset, fingerprint));
  }
  return parts.empty() ? ""
                       : fmt::format(
                             "Data, by the start of its fingerprint: "
                             "{}.\n\n",
                             fmt::join(parts, ", "));
}

// Finished cells of `column`, by where they were made.
std::map<std::string, std::vector<std::string>> rows_by_place(
    const ExperimentResult& result, const std::string& column) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const CellResult& cell : result.cells) {
    if (cell.column != column || cell.status != CellStatus::done) continue;
    rows[cell.made_on ? fmt::format("{} ({}, {})", cell.made_on->machine,
                                    cell.made_on->device, result.math)
                      : ""]
        .push_back(cell.row);
  }
  return rows;
}

// ", texas, GCN (cora) on an AMD EPYC (cpu, fp32)": columns of other devices,
// or rows of columns that are of several.
std::string other_places_text(const ExperimentResult& result) {
  std::map<std::string, std::vector<std::string>> made_there;
  for (const std::string& column : columns_of(result)) {
    const auto places = rows_by_place(result, column);
    for (const auto& [place, rows] : places) {
      if (place.empty()) continue;
      made_there[place].push_back(
          places.size() == 1
              ? column
              : fmt::format("{} ({})", fmt::join(rows, ", "), column));
    }
  }
  std::string text;
  for (const auto& [place, cells] : made_there) {
    text += fmt::format(", {} on {}", fmt::join(cells, ", "), place);
  }
  return text;
}

// Runs of a search for every cell would fill the page with their commands.
constexpr size_t kMostMakers = 8;

std::string makers_markdown(const ExperimentResult& result) {
  const std::vector<MadeBy>& makers = result.made_by;
  if (makers.empty()) return "";
  std::string text = "Made by\n\n```\n";
  int64_t unnamed = 0;
  for (size_t i = 0; i < makers.size(); ++i) {
    const MadeBy& maker = makers[i];
    if (i >= kMostMakers) {
      unnamed += maker.runs;
      continue;
    }
    text += fmt::format("{}   # {} run{}, ognn {}, code {}\n", maker.command,
                        maker.runs, maker.runs == 1 ? "" : "s", maker.version,
                        maker.commit);
  }
  if (makers.size() > kMostMakers) {
    text += fmt::format("# {} more runs by {} other commands: results.json\n",
                        unnamed, makers.size() - kMostMakers);
  }
  double seconds = 0;
  for (const CellResult& cell : result.cells) {
    for (const CellRun& run : cell.runs) seconds += run.seconds;
  }
  return text + fmt::format(
                    "```\n\non {} ({}, {}){}; the times of all runs add up to "
                    "{:.0f} s.\n\n",
                    result.machine, result.device, result.math,
                    other_places_text(result), seconds);
}

// A paragraph each.
std::string remarks_markdown(const std::string& experiment,
                             const Commentary& commentary) {
  const auto found = commentary.remarks.find(experiment);
  if (found == commentary.remarks.end()) return "";
  std::string text;
  for (const std::string& remark : found->second) text += remark + "\n\n";
  return text;
}

std::string list_markdown(const std::string& title,
                          const std::vector<std::string>& lines) {
  if (lines.empty()) return "";
  std::string text = title;
  for (const std::string& line : lines) text += "- " + line + "\n";
  return text + "\n";
}

std::string plots_markdown(const ExperimentResult& result,
                           const std::string& folder) {
  std::string text;
  for (const NamedPlot& plot : experiment_plots(result)) {
    text += fmt::format("![{}]({}{})\n\n", result.title, folder, plot.file);
  }
  return text;
}

}  // namespace

std::string experiment_markdown(const ExperimentResult& result,
                                const std::string& plots,
                                const Commentary& commentary) {
  std::string text = fmt::format("## {}\n\n", result.title);
  if (result.quick) text += fmt::format("**{}**\n\n", quick_label());
  for (const std::string& note : result.notes) text += note + "\n";
  if (!result.notes.empty()) text += "\n";
  text += remarks_markdown(result.name, commentary);
  const ExperimentReport& report = report_of(result);
  text += report.markdown(result);
  text += captioned(
      fmt::format("More than {} points below the paper:", kShortfallPoints),
      shortfall_table(result, commentary.reasons));
  text += unable_markdown(result);
  if (result.unit != "ms") text += runs_markdown(result);
  text += plots_markdown(result, plots);
  if (report.published != nullptr) {
    text += captioned("Beside the published numbers of all systems, %:",
                      systems_table(result, report.published));
  }
  text += makers_markdown(result) + data_markdown(result);
  text +=
      list_markdown("Lines of the log that were not used:\n\n", result.broken);
  return text;
}

}  // namespace ordered_gnn::lab
