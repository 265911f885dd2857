#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

#include "core/io/file.h"
#include "lab/compare/comparison.h"
#include "lab/report/plots.h"
#include "lab/report/score_text.h"
#include "lab/report/table.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::lab {
namespace {

std::string chance_text(double p) {
  return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

std::string level_text(const ComparedRow& row) {
  const int64_t pairs = row.paired.difference.count;
  if (pairs < 2) return "one run, not judged";
  if (pairs < kPairsToTell) return separate_text(row) + " cannot tell";
  return "level with the best";
}

std::string place_text(const ComparedRow& row) {
  switch (row.place) {
    case ComparedPlace::best:
      return "best";
    case ComparedPlace::level:
      if (shares_the_best(row)) return "level";
      return level_text(row);
    case ComparedPlace::behind:
      return "really behind";
    case ComparedPlace::failed:
      break;
  }
  return "failed";
}

std::vector<std::string> line_of(const ComparedRow& row, Metric metric) {
  if (row.place == ComparedPlace::failed) {
    return {"-", row.model->model, "", "", "", "", "", "failed", "", "", ""};
  }
  const bool first = row.paired.difference.count == 0;
  const bool judged = row.paired.difference.count > 1;
  const int64_t bytes = row.model->peak_bytes;
  return {std::to_string(row.rank),
          row.model->model,
          score_text(row.score.mean, metric),
          score_text(row.score.standard_error, metric),
          std::to_string(row.model->runs.size()),
          first ? "" : score_text(row.paired.difference.mean, metric),
          judged ? chance_text(row.p_adjusted) : "",
          place_text(row),
          fmt::format("{:.1f}", row.seconds),
          std::to_string(row.model->parameters),
          bytes > 0 ? bytes_text(bytes) : "-"};
}

// "test accuracy, %".
std::string judged_heading(const Comparison& comparison) {
  return fmt::format("{} {}", judged_part(comparison),
                     score_heading(parse_metric(comparison.metric)));
}

ReportTable table_of(const Comparison& comparison) {
  ReportTable table(
      {"rank", "model", judged_heading(comparison), "± SE", "runs",
       "to the best", "chance", "", "s per run", "parameters", "memory"},
      {Align::right, Align::left, Align::right, Align::right, Align::right,
       Align::right, Align::right, Align::left, Align::right, Align::right,
       Align::right});
  for (const ComparedRow& row : ranked_rows(comparison)) {
    table.add(line_of(row, parse_metric(comparison.metric)));
  }
  return table;
}

std::string effort_text(const Comparison& comparison) {
  if (comparison.trials == 0) {
    return "No tuning: every model with its recipe for this dataset, or its "
           "defaults.";
  }
  if (comparison.trials == 1) {
    return "No tuning: every model with the setting it starts from and the "
           "same epochs and patience.";
  }
  return fmt::format(
      "Every model could try {} settings, chosen by validation score alone.",
      comparison.trials);
}

std::string failures_text(const Comparison& comparison,
                          const std::string& bullet) {
  std::string text;
  for (const ComparedModel& model : comparison.models) {
    if (model.done()) continue;
    text += fmt::format("{}{}: failed: {}\n", bullet, model.model, model.error);
  }
  return text;
}

// The chosen options that are not the program's own defaults.
std::string setting_of(const ComparedModel& model) {
  const Json chosen = to_json(model.options);
  const Json defaults = to_json(RunOptions{});
  std::vector<std::string> words;
  for (const Option<RunOptions>& row : run_option_table()) {
    const std::string& name = row.spec.name;
    const bool shown =
        row.spec.group == "Model" || row.spec.group == "Training";
    if (!shown || name == "model" || name == "splits" || name == "seed" ||
        chosen.at(name) == defaults.at(name)) {
      continue;
    }
    const Json& value = chosen.at(name);
    words.push_back(fmt::format(
        "{} {}", name,
        value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return fmt::format("{}", fmt::join(words, ", "));
}

std::string settings_markdown(const Comparison& comparison) {
  ReportTable table({"model", "starts from", "settings tried", "chosen"},
                    {Align::left, Align::left, Align::right, Align::left});
  for (const ComparedModel& model : comparison.models) {
    if (!model.done()) continue;
    table.add({model.model, model.start.empty() ? "its defaults" : model.start,
               std::to_string(model.tried), setting_of(model)});
  }
  return table.rows().empty() ? "" : table.markdown() + "\n";
}

}  // namespace

std::string comparison_text(const Comparison& comparison) {
  std::string text = table_of(comparison).text();
  text += failures_text(comparison, "");
  return text + conclusion(comparison) + "\n";
}

std::string comparison_markdown(const Comparison& comparison) {
  std::string text =
      fmt::format("# Models compared on {}\n\n{}\n\n{}\n", comparison.dataset,
                  conclusion(comparison), table_of(comparison).markdown());
  text += fmt::format(
      "{} All ran on splits {} with seeds {}. SE is the standard error of the "
      "mean over splits, seeds averaged within a split first (over seeds where "
      "there is one split). `to the best` is the mean difference over the same "
      "splits and seeds, in points; `chance` the probability of one as large "
      "if there "
      "were none (paired t test, corrected by Holm's method for the number of "
      "models), and below {} it is called real. Splits share nodes, so it is "
      "smaller than it should be. Memory is what training takes beyond the "
      "data.\n\n",
      effort_text(comparison), fmt::join(comparison.splits, ", "),
      fmt::join(comparison.seeds, ", "), kRealBelow);
  text += "![Models compared](compare.svg)\n\n" + settings_markdown(comparison);
  const std::string failures = failures_text(comparison, "- ");
  if (!failures.empty()) text += failures + "\n";
  for (const std::string& line : comparison.broken) {
    text += fmt::format("- not used: {}\n", line);
  }
  return text + fmt::format(
                    "Made by\n\n```\n{}   # ognn {}, code {}\n```\n\non {} "
                    "({}, {}); data {}.\n",
                    comparison.command, comparison.version, comparison.commit,
                    comparison.machine, comparison.device, comparison.math,
                    comparison.fingerprint.substr(0, 12));
}

std::string comparison_csv(const Comparison& comparison) {
  ReportTable table({"rank", "model", "place", "metric", "runs", "test_mean",
                     "test_std", "test_se", "val_mean", "difference", "p_value",
                     "p_adjusted", "seconds_per_run", "parameters",
                     "peak_bytes", "tried", "start", "error"});
  const auto field = [](double value) {
    return std::isfinite(value) ? fmt::format("{}", value) : "";
  };
  for (const ComparedRow& row : ranked_rows(comparison)) {
    const ComparedModel& model = *row.model;
    const bool done = row.place != ComparedPlace::failed;
    const bool paired = done && row.paired.difference.count > 0;
    table.add({done ? std::to_string(row.rank) : "", model.model,
               to_string(row.place), comparison.metric,
               std::to_string(model.runs.size()), field(row.test.mean),
               done ? field(row.test.deviation) : "",
               field(row.test.standard_error), field(row.validation.mean),
               paired ? field(row.paired.difference.mean) : "",
               paired ? field(row.paired.p_value) : "",
               paired ? field(row.p_adjusted) : "", field(row.seconds),
               std::to_string(model.parameters),
               std::to_string(model.peak_bytes), std::to_string(model.tried),
               model.start, model.error});
  }
  return table.csv();
}

std::string comparison_plot(const Comparison& comparison) {
  DotPlot plot;
  plot.frame.title = "Models compared on " + comparison.dataset;
  plot.value_name = "mean ± 2 SE";
  plot.x.title = judged_heading(comparison);
  const double unit = comparison.metric == "log_loss" ? 1 : 100;
  for (const ComparedRow& row : ranked_rows(comparison)) {
    DotRow dot;
    dot.label = row.model->model;
    if (row.place == ComparedPlace::failed) {
      dot.note = "failed";
    } else {
      dot.value = unit * row.score.mean;
      dot.error = 2 * unit * row.score.standard_error;
    }
    plot.rows.push_back(std::move(dot));
  }
  return dot_plot(plot);
}

void write_comparison(const Comparison& comparison,
                      const std::filesystem::path& folder) {
  core::write_file(folder / "compare.svg", comparison_plot(comparison));
  core::write_file(folder / "compare.md", comparison_markdown(comparison));
  core::write_file(folder / "compare.tex", table_of(comparison).latex());
  core::write_file(folder / "compare.csv", comparison_csv(comparison));
  // Paths and messages may hold bytes that are no UTF-8.
  core::write_file(
      folder / "compare.json",
      to_json(comparison).dump(1, ' ', false, Json::error_handler_t::replace) +
          "\n");
}

}  // namespace ordered_gnn::lab
