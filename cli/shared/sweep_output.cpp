#include "shared/sweep_output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "shared/progress.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kTrialsShown = 10;

// Equal scores on equal runs.
bool is_level(const lab::TrialResult& trial, const lab::TrialResult& best) {
  return trial.rung == best.rung && trial.objective() == best.objective();
}

// "best", "level" for those whose score is the best's, or nothing.
std::string place_text(const lab::TrialResult& trial,
                       const lab::SweepResult& result) {
  if (!result.best) return "";
  const lab::TrialResult& best = result.trials[*result.best];
  if (!is_level(trial, best)) return "";
  const auto equals = std::count_if(
      result.trials.begin(), result.trials.end(),
      [&](const lab::TrialResult& other) { return is_level(other, best); });
  if (trial.number != best.number) return "level";
  return equals > 1 ? "level, taken" : "best";
}

Json trial_json(const lab::TrialResult& trial) {
  const bool counts = std::isfinite(trial.objective());
  return {
      {"trial", trial.number},
      {"setting", lab::to_json(trial.setting)},
      {"val_mean",
       counts ? Json(lab::reported(trial.objective(), trial.metric)) : Json()},
      {"val_se", counts ? Json(trial.val.standard_error) : Json()},
      {"runs", trial.runs},
      {"failed", trial.failed},
      {"error", trial.error},
      {"seconds", trial.seconds},
      {"rung", trial.rung}};
}

}  // namespace

std::string setting_text(const lab::Setting& setting) {
  std::vector<std::string> words;
  for (const auto& [name, value] : setting) {
    words.push_back(fmt::format("{}={}", name, value_text(value)));
  }
  return fmt::format("{}", fmt::join(words, " "));
}

std::string progress_text(const lab::SweepProgress& progress, bool terminal) {
  const std::string rung =
      progress.rungs == 1
          ? ""
          : fmt::format(", rung {} of {}", progress.rung + 1, progress.rungs);
  const std::string done =
      fmt::format("{}/{} runs done, {} failed{}", progress.runs_done,
                  progress.runs_total, progress.runs_failed, rung);
  const std::string time = fmt::format(
      "{} passed, {} left, {:.0f} % of the time training",
      duration_text(progress.seconds), duration_text(progress.seconds_left),
      100 * progress.training_share);
  const std::string best =
      progress.best ? fmt::format("val {} (trial {}: {})",
                                  progress.best->score(), progress.best->number,
                                  setting_text(progress.best->setting))
                    : "no trial complete yet";
  return terminal ? fmt::format("  done  {}\n  time  {}\n  best  {}", done,
                                time, best)
                  : fmt::format("{}; {}; {}{}", done, time,
                                progress.best ? "best " : "", best);
}

std::string best_trials(const lab::SweepSpec& spec,
                        const lab::SweepResult& result) {
  std::vector<std::string> header = {"trial"};
  const std::vector<std::string> names = spec.space.names();
  header.insert(header.end(), names.begin(), names.end());
  const Metric metric = spec.base.train.metric;
  header.insert(header.end(), {"val " + score_heading(metric), "± se", "runs",
                               "failed", "seconds"});
  if (spec.method == lab::SearchMethod::halving) header.push_back("rung");
  header.push_back("");
  std::vector<lab::Align> align(header.size(), lab::Align::right);
  align.front() = align.back() = lab::Align::left;
  Table table(header, align);
  const std::vector<lab::TrialResult> trials = lab::ranked(result.trials);
  for (size_t i = 0; i < std::min(kTrialsShown, trials.size()); ++i) {
    const lab::TrialResult& trial = trials[i];
    std::vector<std::string> row = {std::to_string(trial.number)};
    for (const auto& [name, value] : trial.setting) {
      row.push_back(value_text(value));
    }
    row.insert(row.end(),
               {trial.score(), score_text(trial.val.standard_error, metric),
                std::to_string(trial.runs), std::to_string(trial.failed),
                fmt::format("{:.1f}", trial.seconds)});
    if (spec.method == lab::SearchMethod::halving) {
      row.push_back(std::to_string(trial.rung));
    }
    row.push_back(place_text(trial, result));
    table.add(row);
  }
  return table.text();
}

std::string closing_lines(const std::string& folder,
                          const lab::SweepResult& result) {
  const int64_t all = result.runs + result.skipped;
  std::string text = fmt::format(
      "{} runs ({} were there already), {} failed, {:.1f} s, {:.0f} % of it "
      "training\n",
      all, result.skipped, result.failed, result.seconds,
      100 * result.training_share);
  if (!result.best) return text;
  const lab::TrialResult& best = result.trials[*result.best];
  const std::string test =
      std::isnan(result.best_test_mean)
          ? "no test part"
          : fmt::format("test {} (not used for choosing)",
                        score_text(result.best_test_mean, best.metric));
  text += fmt::format(
      "best on {}: val {} with {}\n  {}; recipe in {}/best.json\n",
      result.dataset, best.score(), setting_text(best.setting), test, folder);
  const int64_t failed = lab::num_failed(result.trials);
  if (failed > 0) {
    text += fmt::format(
        "{} of {} settings had failed runs and could not win; --retry-failed "
        "repeats these\n",
        failed, result.trials.size());
  }
  return text;
}

Json sweep_json(const lab::SweepSpec& spec, const lab::SweepResult& result) {
  Json trials = Json::array();
  for (const lab::TrialResult& trial : result.trials) {
    trials.push_back(trial_json(trial));
  }
  Json best;
  if (result.best) {
    best = trial_json(result.trials[*result.best]);
    best["config"] = to_json(result.best_options);
    best["test_mean_not_used_for_choosing"] = std::isnan(result.best_test_mean)
                                                  ? Json()
                                                  : Json(result.best_test_mean);
  }
  return {{"dataset", result.dataset},
          {"method", to_string(spec.method)},
          {"metric", to_string(spec.base.train.metric)},
          {"best", best},
          {"trials", trials},
          {"runs", result.runs},
          {"skipped", result.skipped},
          {"failed", result.failed},
          {"seconds", result.seconds},
          {"training_share", result.training_share},
          {"broken_lines", result.broken}};
}

}  // namespace ordered_gnn::cli
