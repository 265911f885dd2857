#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_reader.h"
#include "lab/page/figures.h"
#include "lab/page/run_pages.h"

namespace ordered_gnn::lab {
namespace {

std::string plain(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool in_percent(const Json& parallel) {
  return parallel.value("percent", true);
}

std::string heading_of(const Json& parallel) {
  return in_percent(parallel) ? "validation, %"
                              : parallel.value("objective", "validation");
}

std::string objective_of(const Json& parallel, const Json& line) {
  const double value = number_of(line, "objective");
  if (in_percent(parallel)) return percent_text(value);
  return std::isfinite(value) ? fmt::format("{:.4f}", value) : "-";
}

// Lines with an objective, best first, then the others.
std::vector<Json> ranked_lines(const Json& parallel) {
  std::vector<Json> lines = parallel.at("lines");
  std::stable_sort(lines.begin(), lines.end(),
                   [](const Json& a, const Json& b) {
                     const double x = number_of(a, "objective"),
                                  y = number_of(b, "objective");
                     if (std::isnan(x) || std::isnan(y))
                       return !std::isnan(x) && std::isnan(y);
                     const double rung_a = number_of(a, "rung"),
                                  rung_b = number_of(b, "rung");
                     return rung_a != rung_b ? rung_a > rung_b : x > y;
                   });
  return lines;
}

ReportTable trial_table(const Json& parallel, const std::vector<Json>& lines) {
  std::vector<std::string> header = {"trial"};
  for (const Json& dimension : parallel.at("dimensions")) {
    header.push_back(dimension.at("name"));
  }
  header.push_back(heading_of(parallel));
  header.emplace_back("rung");
  ReportTable table(header);
  for (const Json& line : lines) {
    std::vector<std::string> row = {line.at("trial").dump()};
    for (const Json& value : line.at("values")) row.push_back(plain(value));
    row.push_back(objective_of(parallel, line));
    row.push_back(line.value("rung", Json(0)).dump());
    table.add(std::move(row));
  }
  return table;
}

ParallelAxis axis_of_dimension(const Json& dimension) {
  ParallelAxis axis;
  axis.name = dimension.at("name");
  const std::string scale = dimension.at("scale");
  if (scale == "log") axis.scale = AxisScale::log10;
  if (scale != "category") return axis;
  for (const Json& value : dimension.at("values")) {
    axis.categories.push_back(plain(value));
  }
  return axis;
}

double place_of(const ParallelAxis& axis, const Json& value) {
  if (axis.categories.empty()) {
    return value.is_number() ? value.get<double>() : kMissing;
  }
  const auto found =
      std::find(axis.categories.begin(), axis.categories.end(), plain(value));
  return found == axis.categories.end()
             ? kMissing
             : static_cast<double>(found - axis.categories.begin());
}

PageFigure parallel_figure(const Json& parallel,
                           const std::vector<Json>& lines) {
  ParallelPlot plot;
  plot.frame.title = "Trials";
  plot.objective_name = heading_of(parallel);
  for (const Json& dimension : parallel.at("dimensions")) {
    plot.axes.push_back(axis_of_dimension(dimension));
  }
  for (const Json& trial : lines) {
    ParallelLine line;
    const Json& values = trial.at("values");
    for (size_t i = 0; i < plot.axes.size(); ++i) {
      line.values.push_back(place_of(plot.axes[i], values.at(i)));
    }
    line.objective =
        (in_percent(parallel) ? 100 : 1) * number_of(trial, "objective");
    plot.lines.push_back(std::move(line));
  }
  return {"trials", parallel_coordinates(plot),
          "One line per trial, stronger in colour the better; the best one is "
          "on top.",
          trial_table(parallel, lines)};
}

PageSection best_section(const std::filesystem::path& folder) {
  PageSection section;
  section.id = "best";
  section.title = "Best setting";
  const std::filesystem::path file = folder / "best.json";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    section.paragraphs = {"No trial has ended well."};
    return section;
  }
  const Json best = read_object(file);
  for (const char* key : {"//", "//objective", "//trials", "//seeds"}) {
    if (best.contains(key)) section.paragraphs.push_back(plain(best[key]));
  }
  section.paragraphs.push_back(
      fmt::format("To train with it: ognn train --config {}", file.string()));
  section.tables = {options_table("", best)};
  return section;
}

}  // namespace

Page sweep_page(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "parallel.json";
  const Json parallel = read_object(file);
  return core::reading(file, [&] {
    const std::vector<Json> lines = ranked_lines(parallel);
    const auto done =
        std::count_if(lines.begin(), lines.end(), [](const Json& line) {
          return !std::isnan(number_of(line, "objective"));
        });
    Page page = empty_page("Sweep on " + parallel.value("dataset", ""),
                           "Chosen by " + parallel.value("objective", ""));
    PageSection trials;
    trials.id = "trials";
    trials.title = "Trials";
    trials.facts = {{"best validation score",
                     lines.empty() ? "-"
                                   : objective_of(parallel, lines[0]) +
                                         (in_percent(parallel) ? " %" : ""),
                     "mean over its runs"},
                    {"trials", std::to_string(lines.size()),
                     fmt::format("{} with a score", done)}};
    trials.figures = {parallel_figure(parallel, lines)};
    trials.tables = {{"Trials, best first", trial_table(parallel, lines), -1}};
    page.sections = {trials, best_section(folder)};
    return page;
  });
}

}  // namespace ordered_gnn::lab
