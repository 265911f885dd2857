#include <fmt/format.h>

#include <cmath>

#include "lab/page/figures.h"
#include "lab/page/run_pages.h"

namespace ordered_gnn::lab {
namespace {

std::string seconds_text(double seconds) {
  return std::isfinite(seconds) ? fmt::format("{:.1f}", seconds) : "";
}

ReportTable model_table(const Json& models) {
  ReportTable table({"rank", "model", "place", "test, %", "± SE", "runs",
                     "difference to the best, points", "p, corrected",
                     "seconds per run", "parameters", "peak MB"});
  for (const Json& model : models) {
    const Json none = Json::object();
    const Json& to_best = model.contains("to_best") ? model["to_best"] : none;
    const double p = number_of(to_best, "p_adjusted");
    const double difference = number_of(to_best, "difference");
    const double parameters = number_of(model, "parameters");
    const double peak = number_of(model, "peak_bytes");
    table.add(
        {model.contains("rank") ? model["rank"].dump() : "-", model.at("model"),
         model.at("place"), percent_text(number_of(model, "test_mean")),
         percent_text(number_of(model, "test_se")),
         model.contains("n") ? model["n"].dump() : "0",
         std::isfinite(difference) ? fmt::format("{:+.2f}", 100 * difference)
                                   : "",
         std::isfinite(p) ? fmt::format("{:.3g}", p) : "",
         seconds_text(number_of(model, "seconds_per_run")),
         std::isfinite(parameters) ? fmt::format("{:.0f}", parameters) : "",
         peak > 0 ? fmt::format("{:.1f}", peak / 1e6) : ""});
  }
  return table;
}

PageFigure model_figure(const Json& comparison) {
  DotPlot plot;
  plot.frame.title = "Models on " + comparison.at("dataset").get<std::string>();
  plot.x.title = "test score, %";
  plot.value_name = "mean ± 2 SE";
  for (const Json& model : comparison.at("models")) {
    DotRow row;
    row.label = model.at("model");
    row.value = 100 * number_of(model, "test_mean");
    row.error = 200 * number_of(model, "test_se");
    if (std::isnan(row.value)) row.note = model.at("place");
    plot.rows.push_back(std::move(row));
  }
  return {"models", dot_plot(plot), "Mean over the same splits and seeds.",
          model_table(comparison.at("models"))};
}

ReportTable run_table(const Json& models) {
  ReportTable table({"model", "split", "seed", "test, %", "validation, %",
                     "epochs", "seconds"});
  for (const Json& model : models) {
    for (const Json& run : model.at("runs")) {
      table.add({model.at("model"), run.at("split").dump(),
                 run.at("seed").dump(), percent_text(number_of(run, "test")),
                 percent_text(number_of(run, "val")),
                 run.value("epochs", Json(0)).dump(),
                 seconds_text(number_of(run, "seconds"))});
    }
  }
  return table;
}

PageSection settings_section(const Json& models) {
  PageSection section;
  section.id = "settings";
  section.title = "Settings";
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

}  // namespace

Page comparison_page(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "compare.json";
  const Json comparison = read_object(file);
  return using_file(file, [&] {
    const Json& models = comparison.at("models");
    Page page = empty_page(
        "Models compared on " + comparison.at("dataset").get<std::string>(),
        comparison.value("command", ""));
    PageSection section;
    section.id = "models";
    section.title = "Models";
    section.paragraphs = {comparison.value("conclusion", "")};
    section.figures = {model_figure(comparison)};
    section.tables = {{"", model_table(models), -1},
                      {"Runs", run_table(models), -1}};
    page.sections = {section, settings_section(models)};
    return page;
  });
}

}  // namespace ordered_gnn::lab
