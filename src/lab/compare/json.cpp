#include <cmath>

#include "core/io/json_numbers.h"
#include "lab/compare/result.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kComparisonFormat = "ordered_gnn comparison result 1";

Json runs_json(const ComparedModel& model) {
  Json runs = Json::array();
  for (const ComparedRun& run : model.runs) {
    runs.push_back({{"split", run.split},
                    {"seed", run.seed},
                    {"test", core::number_or_null(run.test)},
                    {"val", core::number_or_null(run.validation)},
                    {"epochs", run.epochs},
                    {"best_epoch", run.best_epoch},
                    {"seconds", run.seconds}});
  }
  return runs;
}

// What is said of a model that has numbers, and of its difference to the best.
void add_numbers(const ComparedRow& row, Json& json) {
  const Statistics& difference = row.paired.difference;
  json["rank"] = row.rank;
  json["n"] = row.model->runs.size();
  json["n_separate"] = row.score.count;
  json["test_mean"] = core::number_or_null(row.test.mean);
  json["test_std"] = core::number_or_null(row.test.deviation);
  json["test_se"] = core::number_or_null(row.test.standard_error);
  json["val_mean"] = core::number_or_null(row.validation.mean);
  json["val_se"] = core::number_or_null(row.validation.standard_error);
  json["seconds_per_run"] = row.seconds;
  json["parameters"] = row.model->parameters;
  json["peak_bytes"] = row.model->peak_bytes;
  if (difference.count == 0) return;
  json["to_best"] = {
      {"pairs", difference.count},
      {"difference", core::number_or_null(difference.mean)},
      {"standard_error", core::number_or_null(difference.standard_error)},
      {"t", core::number_or_null(row.paired.t)},
      {"p_value", core::number_or_null(row.paired.p_value)},
      {"p_adjusted", core::number_or_null(row.p_adjusted)}};
}

Json row_json(const ComparedRow& row) {
  const ComparedModel& model = *row.model;
  Json json = {{"model", model.model},
               {"place", to_string(row.place)},
               {"start", model.start},
               {"tried", model.tried},
               {"tuning_runs", model.tuning_runs},
               {"tuning_seconds", model.tuning_seconds},
               {"config", to_json(model.options)},
               {"runs", runs_json(model)}};
  if (row.place == ComparedPlace::failed) {
    json["error"] = model.error;
  } else {
    add_numbers(row, json);
  }
  return json;
}

}  // namespace

Json to_json(const Comparison& comparison) {
  Json models = Json::array();
  for (const ComparedRow& row : ranked_rows(comparison)) {
    models.push_back(row_json(row));
  }
  Json json = {{"format", kComparisonFormat},
               {"dataset", comparison.dataset},
               {"fingerprint", comparison.fingerprint},
               {"metric", comparison.metric},
               {"judged_on", judged_part(comparison)},
               {"splits", comparison.splits},
               {"seeds", comparison.seeds},
               {"trials", comparison.trials},
               {"broken_lines", comparison.broken},
               {"conclusion", conclusion(comparison)},
               {"models", models}};
  json.update(origin_json(comparison));
  return json;
}

}  // namespace ordered_gnn::lab
