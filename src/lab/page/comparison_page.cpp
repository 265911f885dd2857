#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "lab/page/figures.h"
#include "lab/page/run_pages.h"
#include "lab/report/score_text.h"

namespace ordered_gnn::lab {
namespace {

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.1f}", seconds) : "";
}

// The scores that models are judged by.
struct JudgedKeys {
  const char* mean = "test_mean";
  const char* error = "test_se";
  const char* part = "test";
};

Metric metric_of(const Json& comparison) {
  return parse_metric(comparison.value("metric", "accuracy"));
}

// In the unit of the table: points of a per cent, or the metric's own.
std::string difference_text(double difference, Metric metric) {
  if (!std::isfinite(difference)) return "";
  return metric == Metric::log_loss ? fmt::format("{:+.4f}", difference)
                                    : fmt::format("{:+.2f}", 100 * difference);
}

JudgedKeys judged_keys(const Json& comparison) {
  if (comparison.value("judged_on", "test") == "test") return {};
  return {"val_mean", "val_se", "validation"};
}

// A model none of whose runs ended has no number of parameters.
std::string parameters_text(const Json& model) {
  const bool known =
      model.contains("parameters") && !model["parameters"].is_null();
  return known ? count_text(core::whole_number(model, "parameters")) : "";
}

ReportTable model_table(const Json& comparison, Metric metric) {
  const JudgedKeys judged = judged_keys(comparison);
  ReportTable table(
      {"rank", "model", "place", judged.part + (" " + score_heading(metric)),
       "± SE", "runs",
       metric == Metric::log_loss ? "difference to the best"
                                  : "difference to the best, points",
       "p, corrected", "seconds per run", "parameters", "peak MB"});
  for (const Json& model : comparison.at("models")) {
    const Json none = Json::object();
    const Json& to_best = model.contains("to_best") ? model["to_best"] : none;
    const double p = number_of(to_best, "p_adjusted");
    const double difference = number_of(to_best, "difference");
    const double peak = number_of(model, "peak_bytes");
    table.add({model.contains("rank") ? model["rank"].dump() : "-",
               model.at("model"), model.at("place"),
               score_text(number_of(model, judged.mean), metric),
               score_text(number_of(model, judged.error), metric),
               model.contains("n") ? model["n"].dump() : "0",
               difference_text(difference, metric),
               std::isfinite(p) ? fmt::format("{:.3g}", p) : "",
               seconds_text(number_of(model, "seconds_per_run")),
               parameters_text(model),
               peak > 0 ? fmt::format("{:.1f}", peak / 1e6) : ""});
  }
  return table;
}

PageFigure model_figure(const Json& comparison, Metric metric) {
  DotPlot plot;
  plot.frame.title = "Models on " + comparison.at("dataset").get<std::string>();
  const JudgedKeys judged = judged_keys(comparison);
  plot.x.title = judged.part + (" " + score_heading(metric));
  const double unit = metric == Metric::log_loss ? 1 : 100;
  plot.value_name = "mean ± 2 SE";
  for (const Json& model : comparison.at("models")) {
    DotRow row;
    row.label = model.at("model");
    row.value = unit * number_of(model, judged.mean);
    row.error = 2 * unit * number_of(model, judged.error);
    if (std::isnan(row.value)) row.note = model.at("place");
    plot.rows.push_back(std::move(row));
  }
  return {"models", dot_plot(plot), "Mean over the same splits and seeds.",
          model_table(comparison, metric)};
}

ReportTable run_table(const Json& models, Metric metric) {
  ReportTable table({"model", "split", "seed", "test " + score_heading(metric),
                     "validation " + score_heading(metric), "epochs",
                     "seconds"});
  for (const Json& model : models) {
    for (const Json& run : model.at("runs")) {
      table.add({model.at("model"), run.at("split").dump(),
                 run.at("seed").dump(),
                 score_text(number_of(run, "test"), metric),
                 score_text(number_of(run, "val"), metric),
                 run.value("epochs", Json(0)).dump(),
                 seconds_text(number_of(run, "seconds"))});
    }
  }
  return table;
}

PageSection settings_section(const Json& models, const std::string& prefix,
                             const std::string& dataset) {
  PageSection section;
  section.id = prefix + "settings";
  section.title = prefix.empty() ? "Settings" : "Settings on " + dataset;
  for (const Json& model : models) {
    std::string name = model.at("model");
    if (model.contains("error")) {
      section.paragraphs.push_back(
          name + " failed: " + model["error"].get<std::string>());
    }
    section.tables.push_back(
        options_table(name, model.value("config", Json::object())));
  }
  return section;
}

// @param prefix  of the ids, where a page has several comparisons.
std::vector<PageSection> sections_of(const Json& comparison,
                                     const std::string& prefix) {
  const Json& models = comparison.at("models");
  const Metric metric = metric_of(comparison);
  const std::string dataset = comparison.at("dataset");
  PageSection section;
  section.id = prefix + "models";
  section.title = prefix.empty() ? "Models" : dataset;
  section.paragraphs = {comparison.value("conclusion", "")};
  section.figures = {model_figure(comparison, metric)};
  section.figures[0].name = prefix + section.figures[0].name;
  section.tables = {{"", model_table(comparison, metric), -1},
                    {"Runs", run_table(models, metric), -1}};
  return {section, settings_section(models, prefix, dataset)};
}

// "82.70 ± 1.20 level", "failed".
std::string cell_text(const Json& model, const Json& comparison) {
  const JudgedKeys judged = judged_keys(comparison);
  const Metric metric = metric_of(comparison);
  const double mean = number_of(model, judged.mean);
  const std::string place = model.at("place");
  if (std::isnan(mean)) return place;
  const double error = number_of(model, judged.error);
  return score_text(mean, metric) +
         (std::isnan(error) ? "" : " ± " + score_text(error, metric)) +
         (place == "behind" ? "" : " " + place);
}

// Rows are models, columns datasets.
ReportTable table_of_datasets(const Json& comparisons) {
  std::vector<std::string> header = {"score ± SE"}, names;
  for (const Json& comparison : comparisons) {
    header.push_back(fmt::format("{} ({})",
                                 comparison.at("dataset").get<std::string>(),
                                 score_heading(metric_of(comparison))));
    for (const Json& model : comparison.at("models")) {
      const std::string name = model.at("model");
      if (std::count(names.begin(), names.end(), name) == 0) {
        names.push_back(name);
      }
    }
  }
  ReportTable table(header);
  for (const std::string& name : names) {
    std::vector<std::string> row = {name};
    for (const Json& comparison : comparisons) {
      row.emplace_back();
      for (const Json& model : comparison.at("models")) {
        if (model.at("model") == name)
          row.back() = cell_text(model, comparison);
      }
    }
    table.add(std::move(row));
  }
  return table;
}

Page page_of_datasets(const Json& comparisons) {
  Page page = empty_page("Models compared on several datasets", "");
  PageSection section;
  section.id = "datasets";
  section.title = "Datasets";
  section.tables = {{"", table_of_datasets(comparisons), -1}};
  page.sections = {section};
  for (size_t i = 0; i < comparisons.size(); ++i) {
    for (PageSection& part :
         sections_of(comparisons[i], fmt::format("data-{}-", i))) {
      page.sections.push_back(std::move(part));
    }
  }
  return page;
}

}  // namespace

Page comparison_page(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "compare.json";
  const Json comparison = read_object(file);
  return core::reading(file, [&] {
    if (comparison.contains("datasets")) {
      return page_of_datasets(comparison["datasets"]);
    }
    Page page = empty_page(
        "Models compared on " + comparison.at("dataset").get<std::string>(),
        comparison.value("command", ""));
    page.sections = sections_of(comparison, "");
    return page;
  });
}

}  // namespace ordered_gnn::lab
