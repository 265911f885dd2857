#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "lab/page/explained_run.h"
#include "lab/page/explanation_page.h"
#include "lab/page/figures.h"
#include "lab/page/run_pages.h"
#include "lab/report/score_text.h"
#include "lab/runs/curves.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostCurves = 10;

std::filesystem::path split_folder(const std::filesystem::path& folder,
                                   const Json& run) {
  return folder / fmt::format("split-{}", core::whole_number(run, "split"));
}

PageSection splits_section(const Json& summary) {
  PageSection section;
  section.id = "splits";
  section.title = "Splits";
  const Metric metric = parse_metric(summary.value("metric", "accuracy"));
  const auto score = [&](const char* key) {
    return score_text(number_of(summary, key), metric) +
           (metric == Metric::log_loss ? "" : " %");
  };
  const bool tested = std::isfinite(number_of(summary, "test_mean"));
  const bool several = summary.at("runs").size() > 1;
  section.facts = {
      {"test " + to_string(metric),
       tested ? score("test_mean") : "no test part",
       !tested   ? "the splits leave none"
       : several ? fmt::format("± {} over the splits", score("test_std"))
                 : ""},
      {"validation " + to_string(metric), score("val_mean"),
       several ? "mean" : ""},
      {"splits", std::to_string(summary.at("runs").size()), ""}};
  BarPlot plot;
  plot.frame.title = "Accuracy by split";
  plot.frame.width = 1040;
  plot.frame.height = 340;
  plot.x_title = "split";
  plot.y.title = "accuracy, %";
  plot.y.max = 100;
  plot.series = {{"validation", {}, {}}};
  if (tested) plot.series.push_back({"test", {}, {}});
  ReportTable table({"split", "seed", "epochs", "best epoch",
                     "train accuracy, %", "validation accuracy, %",
                     "test accuracy, %", "seconds"});
  for (const Json& run : summary.at("runs")) {
    plot.groups.push_back(run.at("split").dump());
    plot.series[0].values.push_back(100 * number_of(run, "val_accuracy"));
    if (tested) {
      plot.series[1].values.push_back(100 * number_of(run, "test_accuracy"));
    }
    table.add({run.at("split").dump(), run.at("seed").dump(),
               run.at("epochs").dump(), run.at("best_epoch").dump(),
               percent_text(number_of(run, "train_accuracy")),
               percent_text(number_of(run, "val_accuracy")),
               percent_text(number_of(run, "test_accuracy")),
               fmt::format("{:.1f}", number_of(run, "seconds"))});
  }
  if (several) {
    section.figures = {{"accuracy-by-split", bar_plot(plot), "", table}};
  }
  section.tables = {{"", table, -1}};
  return section;
}

// Validation curves of the splits in one plot.
std::vector<PageFigure> curves_of_splits(const std::filesystem::path& folder,
                                         const Json& runs) {
  LinePlot plot;
  plot.frame.title = "Validation accuracy by split";
  plot.frame.width = 1040;
  plot.frame.height = 360;
  plot.x.title = "epoch";
  plot.x.whole = true;
  plot.y.title = "validation accuracy, %";
  ReportTable numbers({"split", "epochs", "best validation accuracy, %"});
  for (const Json& run : runs) {
    if (plot.series.size() >= kMostCurves) break;
    const std::filesystem::path file =
        split_folder(folder, run) / "metrics.jsonl";
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored)) continue;
    LineSeries series;
    series.name = fmt::format("split {}", run.at("split").dump());
    series.marks = false;
    double best = 0;
    const std::vector<Json> epochs = read_metrics(file);
    for (const Json& epoch : epochs) {
      // Not all epochs need have been evaluated.
      if (std::isnan(number_of(epoch, "val_accuracy"))) continue;
      series.x.push_back(number_of(epoch, "epoch"));
      series.y.push_back(100 * number_of(epoch, "val_accuracy"));
      if (series.y.back() > best) best = series.y.back();
    }
    numbers.add({run.at("split").dump(), std::to_string(epochs.size()),
                 fmt::format("{:.2f}", best)});
    plot.series.push_back(std::move(series));
  }
  if (plot.series.empty()) return {};
  std::string caption;
  if (runs.size() > plot.series.size()) {
    caption = fmt::format("{} of {} splits.", plot.series.size(), runs.size());
  }
  return {{"curves-by-split", line_plot(plot), caption, numbers}};
}

// What had to be left out of the metrics of the splits.
std::vector<std::string> broken_metrics(const std::filesystem::path& folder,
                                        const Json& runs) {
  constexpr size_t kMostTold = 5;
  std::vector<std::string> broken;
  for (const Json& run : runs) {
    const std::filesystem::path file =
        split_folder(folder, run) / "metrics.jsonl";
    std::error_code ignored;
    if (std::filesystem::exists(file, ignored)) read_metrics(file, &broken);
  }
  const size_t count = broken.size();
  if (count > kMostTold) {
    broken.resize(kMostTold);
    broken.push_back(fmt::format("{} more lines", count - kMostTold));
  }
  for (std::string& line : broken) line = "Left out: " + line;
  return broken;
}

const Json& best_run(const Json& runs) {
  return *std::max_element(
      runs.begin(), runs.end(), [](const Json& a, const Json& b) {
        return number_of(a, "val_accuracy") < number_of(b, "val_accuracy");
      });
}

// The explanation of one split's model; without it, why there is none.
void add_explanation(const std::filesystem::path& folder, const Json& run,
                     Page& page) {
  try {
    ExplainOptions options;
    options.listed_nodes = true;
    options.importance = true;
    const ExplainedModel model =
        explained_run(split_folder(folder, run) / "model.safetensors", options);
    std::vector<PageSection> sections = explanation_sections(model);
    sections[0].id = "best-split";
    sections[0].title = fmt::format("Split {}", run.at("split").dump());
    sections[0].paragraphs = {
        "From here on the model of the split with the best validation "
        "accuracy."};
    page.nodes = explanation_browser(model);
    page.sections.insert(page.sections.end(), sections.begin(), sections.end());
  } catch (const Error& error) {
    PageSection section;
    section.id = "model";
    section.title = "Model";
    section.paragraphs = {
        fmt::format("The model is not explained here: {}", error.what())};
    page.sections.push_back(section);
  }
}

}  // namespace

Page train_page(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "summary.json";
  const Json summary = read_object(file);
  return core::reading(file, [&] {
    const Json& runs = summary.at("runs");
    if (!runs.is_array() || runs.empty()) fail_in(file, "has no runs");
    Page page = empty_page(
        fmt::format("{} on {}", summary.at("model").get<std::string>(),
                    summary.at("dataset").get<std::string>()),
        summary.value("command", ""));
    page.sections = {splits_section(summary)};
    page.sections[0].paragraphs = broken_metrics(folder, runs);
    if (runs.size() > 1) {
      for (PageFigure& figure : curves_of_splits(folder, runs)) {
        page.sections[0].figures.push_back(std::move(figure));
      }
    }
    add_explanation(folder, best_run(runs), page);
    PageSection settings;
    settings.id = "settings";
    settings.title = "Settings";
    settings.tables = {
        options_table("", summary.value("config", Json::object()))};
    page.sections.push_back(settings);
    return page;
  });
}

}  // namespace ordered_gnn::lab
