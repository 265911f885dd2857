#include "lab/compare/several.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/file.h"
#include "lab/report/score_text.h"

namespace ordered_gnn::lab {
namespace {

// Whether one metric is meant in all columns.
bool is_one_metric(const std::vector<Comparison>& comparisons) {
  return std::all_of(comparisons.begin(), comparisons.end(),
                     [&](const Comparison& comparison) {
                       return comparison.metric == comparisons.front().metric;
                     });
}

std::string mark_of(const ComparedRow& row) {
  if (row.place == ComparedPlace::best) return " best";
  if (row.place != ComparedPlace::level) return "";
  const bool told =
      shares_the_best(row) || row.paired.difference.count >= kPairsToTell;
  return told ? " level" : " cannot tell";
}

std::string cell_of(const Comparison& comparison, const std::string& model) {
  for (const ComparedRow& row : ranked_rows(comparison)) {
    if (row.model->model != model) continue;
    if (row.place == ComparedPlace::failed) return "failed";
    const Metric metric = parse_metric(comparison.metric);
    const std::string error =
        row.test.count < 2
            ? ""
            : " ± " + score_text(row.test.standard_error, metric);
    return score_text(row.test.mean, metric) + error + mark_of(row);
  }
  return "";
}

// In the order in which they first come.
std::vector<std::string> models_of(const std::vector<Comparison>& comparisons) {
  std::vector<std::string> names;
  for (const Comparison& comparison : comparisons) {
    for (const ComparedModel& model : comparison.models) {
      if (std::count(names.begin(), names.end(), model.model) == 0) {
        names.push_back(model.model);
      }
    }
  }
  return names;
}

}  // namespace

ReportTable datasets_table(const std::vector<Comparison>& comparisons) {
  const bool one = is_one_metric(comparisons);
  std::vector<std::string> header = {
      one && !comparisons.empty()
          ? "test " + score_heading(parse_metric(comparisons.front().metric))
          : "test score"};
  for (const Comparison& comparison : comparisons) {
    header.push_back(
        one ? comparison.dataset
            : fmt::format("{} ({})", comparison.dataset,
                          score_heading(parse_metric(comparison.metric))));
  }
  ReportTable table(header);
  for (const std::string& model : models_of(comparisons)) {
    std::vector<std::string> row = {model};
    for (const Comparison& comparison : comparisons) {
      row.push_back(cell_of(comparison, model));
    }
    table.add(std::move(row));
  }
  return table;
}

std::string datasets_text(const std::vector<Comparison>& comparisons) {
  std::string text = datasets_table(comparisons).text();
  for (const Comparison& comparison : comparisons) {
    text += conclusion(comparison) + "\n";
  }
  return text;
}

std::string datasets_markdown(const std::vector<Comparison>& comparisons) {
  std::string text = "# Models compared on several datasets\n\n" +
                     datasets_table(comparisons).markdown() +
                     "\nMean ± standard error of the mean. Level: no more "
                     "behind the best than chance explains.\n\n";
  for (const Comparison& comparison : comparisons) {
    text += "- " + conclusion(comparison) + "\n";
  }
  return text;
}

Json datasets_json(const std::vector<Comparison>& comparisons) {
  Json list = Json::array();
  for (const Comparison& comparison : comparisons) {
    list.push_back(to_json(comparison));
  }
  return {{"datasets", list}};
}

void write_datasets(const std::vector<Comparison>& comparisons,
                    const std::filesystem::path& folder) {
  const ReportTable table = datasets_table(comparisons);
  core::write_file(folder / "compare.md", datasets_markdown(comparisons));
  core::write_file(folder / "compare.tex", table.latex());
  core::write_file(folder / "compare.csv", table.csv());
  // Paths and messages may hold bytes that are no UTF-8.
  core::write_file(
      folder / "compare.json",
      datasets_json(comparisons)
              .dump(1, ' ', false, Json::error_handler_t::replace) +
          "\n");
}

}  // namespace ordered_gnn::lab
