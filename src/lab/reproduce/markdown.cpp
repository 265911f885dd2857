#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "lab/reproduce/report.h"
#include "lab/reproduce/tables.h"

namespace ordered_gnn::lab {
namespace {

// A table with a line about it; nothing without rows.
std::string captioned(const std::string& caption, const ReportTable& table) {
  if (table.rows().empty()) return "";
  return caption + "\n\n" + table.markdown() + "\n";
}

std::string unable_markdown(const ExperimentResult& result) {
  std::string text;
  for (const CellResult& cell : result.cells) {
    if (cell.status == CellStatus::done) continue;
    text += fmt::format("- {}, {}: {}: {}\n", cell.column, cell.row,
                        to_string(cell.status), cell.reason);
  }
  return text.empty() ? "" : "No number:\n\n" + text + "\n";
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
  return fmt::format("{} split{}, seed{} {}", splits.size(),
                     splits.size() == 1 ? "" : "s",
                     seeds.size() == 1 ? "" : "s", fmt::join(seeds, ", "));
}

// "10 splits, seed 42 (texas, wisconsin); 1 split, seeds 42, 43, 44 (cora)".
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
                    "```\n\non {} ({}, {}); the times of all runs add up to "
                    "{:.0f} s.\n\n",
                    result.machine, result.device, result.math, seconds);
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

bool lists_systems(const ExperimentResult& result) {
  return result.name == "table2" || result.name == "layers64" ||
         result.name == "large";
}

bool shows_standings(const ExperimentResult& result) {
  return (lists_systems(result) || result.name == "systems") &&
         rows_of(result).size() > 2 && !result.quick;
}

// Rows by columns say it all where the paper has no numbers.
bool is_overview_enough(const ExperimentResult& result) {
  return result.name == "systems";
}

// A table for every row that is judged, the sentence that sums it up above.
std::string standings_markdown(const ExperimentResult& result) {
  std::string text;
  for (const std::string& row : rows_of(result)) {
    std::vector<Standing> own;
    for (const Standing& standing : standings(result)) {
      if (standing.row == row) own.push_back(standing);
    }
    const auto level =
        std::count_if(own.begin(), own.end(), [](const Standing& standing) {
          return standing.place != Standing::Place::behind;
        });
    text += captioned(
        fmt::format("{} is the best, or level with the best of the others "
                    "(their difference within two standard errors of it), on "
                    "{} of {}:",
                    row, level, own.size()),
        standing_table(result, own));
  }
  return text;
}

// Systems by depths, a table for every graph; all numbers are in table.csv.
std::string depth_systems_markdown(const ExperimentResult& result) {
  std::string text;
  for (const std::string& graph : depth_graphs(result)) {
    text += captioned(
        fmt::format("Test accuracy on {} by the number of layers, mean ± "
                    "sample deviation over the runs (the paper's in "
                    "brackets), %:",
                    graph),
        depth_systems_table(result, graph));
  }
  return text +
         captioned("What depth does, by the means:", depth_table(result));
}

std::string numbers_markdown(const ExperimentResult& result) {
  if (has_depth_systems(result)) return depth_systems_markdown(result);
  std::string text;
  const bool wide = rows_of(result).size() > 1;
  if (is_overview_enough(result)) {
    text +=
        captioned("Test accuracy, mean ± sample deviation over the runs, %:",
                  overview_table(result));
  } else {
    if (wide) {
      text += captioned("Ours (the paper's in brackets), %:",
                        overview_table(result));
    }
    text += captioned(
        result.unit == "ms"
            ? "Time of an epoch:"
            : "Test accuracy, mean ± sample deviation over the runs; SE is the "
              "standard error of the mean, deviation / sqrt(runs).",
        comparison_table(result));
  }
  if (is_over_depth(result)) {
    text += captioned("What depth does, by the means:", depth_table(result));
  }
  if (shows_standings(result)) text += standings_markdown(result);
  text += captioned(
      "Compared run by run over the same splits and seeds; inside the noise: "
      "within two standard errors of no difference. Splits share nodes, so p "
      "(Student, two-sided) is smaller than it should be.",
      paired_table(result));
  text += captioned("Against `measured`:", measured_table(result));
  return text;
}

std::string gates_markdown(const ExperimentResult& result) {
  if (!result.gates.is_array()) return "";
  return captioned(
             "Mean expected split point, in neurons: how many a node keeps for "
             "itself after each layer.",
             split_table(result.gates)) +
         captioned("Share of gates above 0.99, %:",
                   saturation_table(result.gates));
}

}  // namespace

std::string experiment_text(const ExperimentResult& result) {
  std::string text = result.title + "\n";
  if (result.quick) text += quick_label() + "\n";
  if (has_depth_systems(result)) {
    for (const std::string& graph : depth_graphs(result)) {
      text += "\n" + depth_systems_table(result, graph).text();
    }
  } else {
    text += "\n" + (is_overview_enough(result) ? overview_table(result)
                                               : comparison_table(result))
                       .text();
  }
  const ReportTable paired = paired_table(result);
  if (!paired.rows().empty()) text += "\n" + paired.text();
  const ReportTable short_of = shortfall_table(result, {});
  if (!short_of.rows().empty()) {
    text += fmt::format("\nMore than {} points below the paper\n{}",
                        kShortfallPoints, short_of.text());
  }
  if (is_over_depth(result)) {
    text += "\n" + depth_table(result).text();
  }
  if (result.gates.is_array()) {
    text += "\n" + split_table(result.gates).text();
  }
  for (const CellResult& cell : result.cells) {
    if (cell.status == CellStatus::done) continue;
    text += fmt::format("{}, {}: {}: {}\n", cell.column, cell.row,
                        to_string(cell.status), cell.reason);
  }
  for (const std::string& line : result.broken) {
    text += "not used: " + line + "\n";
  }
  return text;
}

std::string experiment_markdown(const ExperimentResult& result,
                                const std::string& plots,
                                const Commentary& commentary) {
  std::string text = fmt::format("## {}\n\n", result.title);
  if (result.quick) text += fmt::format("**{}**\n\n", quick_label());
  for (const std::string& note : result.notes) text += note + "\n";
  if (!result.notes.empty()) text += "\n";
  text += remarks_markdown(result.name, commentary);
  text += numbers_markdown(result) + gates_markdown(result);
  text += captioned(
      fmt::format("More than {} points below the paper:", kShortfallPoints),
      shortfall_table(result, commentary.reasons));
  text += unable_markdown(result);
  if (result.unit != "ms") text += runs_markdown(result);
  text += plots_markdown(result, plots);
  if (lists_systems(result)) {
    text += captioned("Beside the published numbers of all systems, %:",
                      systems_table(result));
  }
  text += makers_markdown(result) + data_markdown(result);
  text +=
      list_markdown("Lines of the log that were not used:\n\n", result.broken);
  return text;
}

}  // namespace ordered_gnn::lab
