#include "lab/sweep/report.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "lab/report/score_text.h"
#include "lab/report/table.h"
#include "ordered_gnn/nn/model_options.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

std::string plain_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::string number_cell(double value) {
  return std::isfinite(value) ? fmt::format("{}", value) : "";
}

// A logarithmic axis where values lie decades apart; 0 has no place on one.
std::string scale_of(const std::vector<Json>& values) {
  double low = std::numeric_limits<double>::infinity(), high = 0;
  bool has_zero = false;
  for (const Json& value : values) {
    if (!value.is_number()) return "category";
    const double number = value.get<double>();
    if (number < 0) return "linear";
    has_zero = has_zero || number == 0;
    if (number > 0) low = std::min(low, number);
    high = std::max(high, number);
  }
  if (!(high >= 100 * low)) return "linear";
  return has_zero ? "category" : "log";
}

Json axis_of(const SearchDimension& dimension, size_t position) {
  if (dimension.choices.empty()) {
    const SearchRange& range = dimension.range;
    return {{"name", dimension.names[position]},
            {"scale", range.logarithmic ? "log" : "linear"},
            {"values", {range.min, range.max}}};
  }
  std::vector<Json> values;
  for (const std::vector<Json>& choice : dimension.choices) {
    const Json& value = choice[position];
    if (std::count(values.begin(), values.end(), value) == 0) {
      values.push_back(value);
    }
  }
  const std::string scale = scale_of(values);
  if (values[0].is_number()) std::sort(values.begin(), values.end());
  return {{"name", dimension.names[position]},
          {"scale", scale},
          {"values", values}};
}

int64_t num_complete(const SweepReport& report) {
  return std::count_if(
      report.trials->begin(), report.trials->end(),
      [](const TrialResult& trial) { return trial.complete(); });
}

std::string objective_text(const SweepReport& report) {
  return fmt::format("mean validation {} of {} runs on {}: {}",
                     to_string(report.spec->base.train.metric),
                     report.best->runs, report.dataset, report.best->score());
}

// Options of other models would only be in the reader's way.
void erase_untouched(const std::string& model, Json& recipe) {
  const Json defaults = to_json(run_options_from_json(Json{{"model", model}}));
  for (const auto& row : baseline_option_table()) {
    const std::string& name = row.spec.name;
    if (recipe.at(name) == defaults.at(name)) recipe.erase(name);
  }
  if (recipe.at("correct-smooth") == true) return;
  for (const auto& row : correct_smooth_option_table()) {
    recipe.erase(row.spec.name);
  }
}

// Who chose it and how, for readers who see the recipe alone.
std::string source_text(const SweepReport& report) {
  // A sweep that was stopped has settings that were never tried to the end.
  const auto scored =
      std::count_if(report.trials->begin(), report.trials->end(),
                    [](const TrialResult& trial) {
                      return std::isfinite(trial.objective());
                    });
  return fmt::format(
      "chosen by validation {} among {} settings ({}), the last of them on {} "
      "runs each",
      to_string(report.spec->base.train.metric), scored,
      to_string(report.spec->method), report.best->planned);
}

// What a failed run keeps from winning is not to be found in the log alone.
std::string trials_text(const SweepReport& report) {
  std::string text = fmt::format(
      "number {} (from 0) of {} trials, {} of them done", report.best->number,
      report.trials->size(), num_complete(report));
  const int64_t failed = num_failed(*report.trials);
  if (failed > 0) {
    text += fmt::format(", {} with failed runs, which could not win", failed);
  }
  return text;
}

}  // namespace

std::string trials_csv(const SweepReport& report) {
  std::vector<std::string> header = report.spec->space.names();
  header.insert(header.begin(), "trial");
  for (const char* name :
       {"val_mean", "val_se", "runs", "failed", "seconds", "rung"}) {
    header.emplace_back(name);
  }
  ReportTable table(std::move(header));
  for (const TrialResult& trial : *report.trials) {
    std::vector<std::string> row = {std::to_string(trial.number)};
    for (const auto& [name, value] : trial.setting) {
      row.push_back(plain_text(value));
    }
    const double mean = reported(trial.objective(), trial.metric);
    row.push_back(number_cell(mean));
    row.push_back(std::isfinite(mean) ? number_cell(trial.val.standard_error)
                                      : "");
    row.push_back(std::to_string(trial.runs));
    row.push_back(std::to_string(trial.failed));
    row.push_back(fmt::format("{:.3f}", trial.seconds));
    row.push_back(std::to_string(trial.rung));
    table.add(std::move(row));
  }
  return table.csv();
}

ReportTable ranked_table(const SweepReport& report) {
  std::vector<std::string> header = report.spec->space.names();
  header.insert(header.begin(), {"rank", "trial"});
  for (const std::string& name :
       {"val " + score_heading(report.spec->base.train.metric),
        std::string("± se"), std::string("runs"), std::string("failed"),
        std::string("rung")}) {
    header.push_back(name);
  }
  ReportTable table(std::move(header));
  int64_t place = 0, rank = 0;
  const TrialResult* before = nullptr;
  const std::vector<TrialResult> trials = ranked(*report.trials);
  for (const TrialResult& trial : trials) {
    const double mean = trial.objective();
    ++place;
    // Equal scores share a rank.
    const bool level = before != nullptr && before->rung == trial.rung &&
                       before->objective() == mean;
    if (!level) rank = place;
    before = &trial;
    std::vector<std::string> row = {
        std::isfinite(mean) ? std::to_string(rank) : "-",
        std::to_string(trial.number)};
    for (const auto& [name, value] : trial.setting) {
      row.push_back(plain_text(value));
    }
    row.push_back(trial.score());
    row.push_back(score_text(
        std::isfinite(mean) ? trial.val.standard_error : mean, trial.metric));
    for (const int64_t count :
         {trial.runs, trial.failed, int64_t{trial.rung}}) {
      row.push_back(std::to_string(count));
    }
    table.add(std::move(row));
  }
  return table;
}

Json parallel_coordinates(const SweepReport& report) {
  Json dimensions = Json::array();
  for (const SearchDimension& dimension : report.spec->space.dimensions()) {
    for (size_t i = 0; i < dimension.names.size(); ++i) {
      dimensions.push_back(axis_of(dimension, i));
    }
  }
  Json lines = Json::array();
  for (const TrialResult& trial : *report.trials) {
    Json values = Json::array();
    for (const auto& [name, value] : trial.setting) values.push_back(value);
    const double mean = trial.objective();
    lines.push_back({{"trial", trial.number},
                     {"values", values},
                     {"objective", core::number_or_null(mean)},
                     {"rung", trial.rung}});
  }
  const Metric metric = report.spec->base.train.metric;
  return {
      {"objective", fmt::format("val_{}_mean{}", to_string(metric),
                                lower_is_better(metric) ? ", negative" : "")},
      {"percent", metric != Metric::log_loss},
      {"dataset", report.dataset},
      {"dimensions", dimensions},
      {"lines", lines}};
}

Json best_recipe(const SweepReport& report) {
  Json recipe = to_json(report.best_options);
  erase_untouched(report.best_options.model, recipe);
  for (const Option<RunOptions>& row : run_option_table()) {
    const bool is_setting = row.spec.name == "splits";
    if (row.spec.execution_only && !is_setting) recipe.erase(row.spec.name);
  }
  for (const char* how : {"device", "math", "checkpoint-layers"}) {
    recipe.erase(how);
  }
  const std::vector<int64_t> seeds = seeds_of(*report.spec);
  if (!report.spec->seeds.empty()) recipe["seed"] = seeds[0];
  const RunOptions& base = report.spec->base;
  recipe["//"] = fmt::format("The best setting of a sweep ({} search of {})",
                             to_string(report.spec->method),
                             fmt::join(report.spec->space.names(), ", "));
  recipe["//objective"] = objective_text(report);
  recipe["//source"] = source_text(report);
  recipe["//trials"] = trials_text(report);
  recipe["//seeds"] = fmt::format("{}", fmt::join(seeds, ", "));
  if (!report.spec->each.dimensions().empty()) {
    recipe["//each"] = fmt::format("the objective is the mean over {}",
                                   report.spec->each.json().dump());
  }
  if (report.spec->try_base && report.best->number == 0) {
    recipe["//base"] = "this is the setting that the sweep started from";
  }
  recipe["//sweep"] = report.spec->file;
  recipe["//code"] = fmt::format("ognn {} ({}), {} {}", kVersion, kCommit,
                                 to_string(base.execution.device),
                                 to_string(base.execution.math));
  return recipe;
}

void write_report(const SweepReport& report) {
  const std::filesystem::path& folder = report.folder;
  core::write_file(folder / "trials.csv", trials_csv(report));
  const ReportTable table = ranked_table(report);
  core::write_file(folder / "trials.md", table.markdown());
  core::write_file(folder / "trials.tex", table.latex());
  core::write_file(folder / "parallel.json",
                   parallel_coordinates(report).dump(2) + "\n");
  if (report.best) {
    core::write_file(folder / "best.json", best_recipe(report).dump(2) + "\n");
  } else {
    std::error_code ignored;
    std::filesystem::remove(folder / "best.json", ignored);
  }
}

}  // namespace ordered_gnn::lab
