#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "lab/report/score_text.h"
#include "lab/report/table.h"
#include "lab/tune/tune.h"

namespace ordered_gnn::lab {
namespace {

// Models in the order of their validation scores, those without one last.
std::vector<const TunedModel*> ranked_models(const TuneResult& result) {
  std::vector<const TunedModel*> order;
  for (const TunedModel& model : result.models) order.push_back(&model);
  std::stable_sort(order.begin(), order.end(),
                   [](const TunedModel* a, const TunedModel* b) {
                     if (!a->best || !b->best) return a->best && !b->best;
                     return a->best->objective() > b->best->objective();
                   });
  return order;
}

std::string validation_text(const TunedModel& model, Metric metric) {
  return fmt::format("{}{}", model.best->score(),
                     metric == Metric::log_loss ? "" : " %");
}

// What the edges are good for, told by the model that does not see them; empty
// unless there is a number with and without them.
std::string graph_text(const TuneResult& result) {
  const TunedModel* blind = nullptr;
  bool seen = false;
  for (const TunedModel& model : result.models) {
    if (!model.best) continue;
    if (model.model == "mlp") {
      blind = &model;
    } else {
      seen = true;
    }
  }
  if (blind == nullptr || !seen) return "";
  const TunedModel& best = result.models[result.best];
  if (&best == blind) {
    return "The mlp, which does not see the graph, is the best: these edges do "
           "not help.\n";
  }
  return fmt::format(
      "The mlp, which does not see the graph, reaches {}, {} {}: that is what "
      "the edges add.\n",
      validation_text(*blind, result.metric), best.model,
      validation_text(best, result.metric));
}

}  // namespace

std::string tune_text(const TuneResult& result) {
  ReportTable table(
      {"model", "val " + score_heading(result.metric),
       "test (not used for choosing)", "settings tried", "seconds", ""},
      {Align::left, Align::right, Align::right, Align::right, Align::right,
       Align::left});
  for (const TunedModel* model : ranked_models(result)) {
    table.add({model->model, model->best ? model->best->score() : "-",
               model->best ? score_text(model->test, result.metric) : "-",
               std::to_string(model->trials),
               fmt::format("{:.1f}", model->seconds), model->error});
  }
  return table.text() + graph_text(result);
}

Json to_json(const TuneResult& result) {
  Json models = Json::array();
  for (const TunedModel& model : result.models) {
    Json entry = {{"model", model.model},   {"start", model.start},
                  {"trials", model.trials}, {"seconds", model.seconds},
                  {"error", model.error},   {"val_mean", nullptr}};
    if (model.best) {
      entry["val_mean"] = core::number_or_null(
          reported(model.best->objective(), result.metric));
      entry["setting"] = to_json(model.best->setting);
      entry["config"] = to_json(model.options);
      entry["test_mean_not_used_for_choosing"] =
          core::number_or_null(model.test);
    }
    models.push_back(std::move(entry));
  }
  const TunedModel& best = result.models[result.best];
  return {{"dataset", result.dataset},
          {"metric", to_string(result.metric)},
          {"best", best.model},
          {"checkpoint", result.summary.runs.front().checkpoint},
          {"models", models},
          {"summary", to_json(result.summary)},
          {"seconds", result.seconds}};
}

}  // namespace ordered_gnn::lab
