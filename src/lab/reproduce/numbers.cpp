#include "lab/reproduce/numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/reproduce/experiment.h"

namespace ordered_gnn::lab {

std::string captioned(const std::string& caption, const ReportTable& table) {
  if (table.rows().empty()) return "";
  return caption + "\n\n" + table.markdown() + "\n";
}

std::string scores_text(const ExperimentResult& result) {
  std::vector<std::string> others;
  for (const std::string& column : columns_of(result)) {
    for (const CellResult& cell : result.cells) {
      if (cell.column != column || cell.metric == Metric::accuracy) continue;
      others.push_back(fmt::format("{}: {}", column, to_string(cell.metric)));
      break;
    }
  }
  return others.empty()
             ? "Test accuracy"
             : fmt::format("Test accuracy ({})", fmt::join(others, ", "));
}

std::string overview_markdown(const ExperimentResult& result) {
  return captioned(
      fmt::format("{}, mean ± sample deviation over the splits, seeds averaged "
                  "within a split (over the seeds of a single split), %:",
                  scores_text(result)),
      overview_table(result));
}

std::vector<ReportTable> overview_alone(const ExperimentResult& result) {
  return {overview_table(result)};
}

std::string compared_markdown(const ExperimentResult& result) {
  std::string text;
  if (rows_of(result).size() > 1) {
    text +=
        captioned("Ours (the paper's in brackets), %:", overview_table(result));
  }
  return text +
         captioned(
             "Test accuracy, mean ± sample deviation over the splits, seeds "
             "averaged within a split (over the seeds of a single split); SE "
             "is the standard error of that mean, deviation / sqrt(splits).",
             comparison_table(result));
}

std::string standings_markdown(const ExperimentResult& result) {
  if (rows_of(result).size() < 3 || result.quick) return "";
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

std::string pairs_markdown(const ExperimentResult& result) {
  return captioned(
             "Compared run by run over the same splits and seeds, seeds "
             "averaged within a split: a pair is a split, or a seed of a "
             "single split; inside the noise: within two standard errors of no "
             "difference. Splits share nodes, so p (Student, two-sided) is "
             "smaller than it should be.",
             paired_table(result)) +
         captioned("Against `measured`:", measured_table(result));
}

std::string numbers_markdown(const ExperimentResult& result) {
  return compared_markdown(result) + pairs_markdown(result);
}

std::string ranked_markdown(const ExperimentResult& result) {
  return compared_markdown(result) + standings_markdown(result) +
         pairs_markdown(result);
}

std::vector<ReportTable> comparison_alone(const ExperimentResult& result) {
  return {report_of(result).comparison(result)};
}

}  // namespace ordered_gnn::lab
