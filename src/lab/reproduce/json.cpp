#include "core/io/json_numbers.h"
#include "lab/reproduce/depths.h"
#include "lab/reproduce/experiment.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kResultFormat = "ordered_gnn reproduction result 1";

template <typename T>
Json optional_json(const std::optional<T>& value) {
  return value ? Json(*value) : Json();
}

Json published_json(const std::optional<PublishedValue>& value) {
  if (!value) return nullptr;
  return {{"mean", value->mean},
          {"deviation", optional_json(value->deviation)},
          {"runs", value->runs}};
}

std::optional<PublishedValue> published_from_json(const Json& json) {
  if (json.is_null()) return std::nullopt;
  PublishedValue value;
  value.mean = core::real_number(json, "mean");
  if (!json.at("deviation").is_null()) {
    value.deviation = core::real_number(json, "deviation");
  }
  value.runs = core::whole_number(json, "runs");
  return value;
}

Json run_json(const CellRun& run) {
  return {{"split", run.split},
          {"seed", run.seed},
          {"score", run.score},
          {"validation", core::number_or_null(run.validation)},
          {"epochs", run.epochs},
          {"best_epoch", run.best_epoch},
          {"seconds", run.seconds}};
}

CellRun run_from_json(const Json& json) {
  CellRun run;
  run.split = core::whole_number(json, "split");
  run.seed = core::whole_number(json, "seed");
  run.score = core::real_number(json, "score");
  run.validation = core::number_or_nan(json.at("validation"));
  run.epochs = core::whole_number(json, "epochs");
  run.best_epoch = core::whole_number(json, "best_epoch");
  run.seconds = core::real_number(json, "seconds", 0);
  return run;
}

// What follows from the runs, for readers that do not want to compute.
void add_derived(Json& json, const CellResult& cell) {
  const Statistics ours = describe(cell);
  json["n"] = cell.runs.size();
  json["n_separate"] = ours.count;
  json["mean"] = core::number_or_null(ours.mean);
  json["deviation"] = ours.count > 0 ? Json(ours.deviation) : Json();
  json["standard_error"] = core::number_or_null(ours.standard_error);
  double seconds = 0;
  for (const CellRun& run : cell.runs) seconds += run.seconds;
  json["seconds"] = seconds;
  if (!cell.published || cell.runs.empty()) return;
  const PublishedComparison comparison =
      compare_published(ours, *cell.published);
  json["difference"] = comparison.difference;
  json["in_standard_errors"] = optional_json(comparison.in_standard_errors);
  json["in_joint_standard_errors"] =
      optional_json(comparison.in_joint_standard_errors);
  json["inside_two_standard_errors"] =
      optional_json(comparison.inside_two_standard_errors);
}

Json cell_json(const CellResult& cell) {
  Json runs = Json::array();
  for (const CellRun& run : cell.runs) runs.push_back(run_json(run));
  Json json = {{"row", cell.row},
               {"column", cell.column},
               {"recipe", cell.recipe},
               {"dataset", cell.dataset},
               {"fingerprint", cell.fingerprint},
               {"status", to_string(cell.status)},
               {"reason", cell.reason},
               {"runs", runs},
               {"paper", published_json(cell.published)},
               {"measured", published_json(cell.measured)},
               {"against", cell.against},
               {"together", cell.together},
               {"metric", to_string(cell.metric)},
               {"parameters", cell.parameters}};
  if (cell.made_on) {
    json["made_on"] = {{"device", cell.made_on->device},
                       {"machine", cell.made_on->machine}};
  }
  add_derived(json, cell);
  return json;
}

CellStatus status_from(const std::string& text) {
  for (const CellStatus status :
       {CellStatus::done, CellStatus::missing, CellStatus::failed}) {
    if (to_string(status) == text) return status;
  }
  fail("a cell is done, missing or failed, not '{}'", text);
}

CellResult cell_from_json(const Json& json) {
  CellResult cell;
  json.at("row").get_to(cell.row);
  json.at("column").get_to(cell.column);
  json.at("recipe").get_to(cell.recipe);
  json.at("dataset").get_to(cell.dataset);
  json.at("fingerprint").get_to(cell.fingerprint);
  cell.status = status_from(json.at("status").get<std::string>());
  json.at("reason").get_to(cell.reason);
  for (const Json& run : json.at("runs")) {
    cell.runs.push_back(run_from_json(run));
  }
  if ((cell.status == CellStatus::done) == cell.runs.empty()) {
    fail("the cell {} / {} is {} with {} runs", cell.row, cell.column,
         to_string(cell.status), cell.runs.size());
  }
  cell.published = published_from_json(json.at("paper"));
  cell.measured = published_from_json(json.at("measured"));
  json.at("against").get_to(cell.against);
  // Results of earlier versions have none of these.
  cell.together = json.value("together", false);
  cell.metric = parse_metric(json.value("metric", "accuracy"));
  if (json.contains("parameters")) {
    cell.parameters = core::whole_number(json, "parameters");
  }
  if (json.contains("made_on")) {
    const Json& place = json.at("made_on");
    cell.made_on = {place.at("device").get<std::string>(),
                    place.at("machine").get<std::string>()};
  }
  return cell;
}

Json comparison_json(const CellComparison& comparison) {
  const PairedComparison& paired = comparison.paired;
  return {{"column", comparison.column},
          {"row", comparison.row},
          {"against", comparison.against},
          {"n", paired.difference.count},
          {"difference", core::number_or_null(paired.difference.mean)},
          {"deviation", paired.difference.deviation},
          {"standard_error",
           core::number_or_null(paired.difference.standard_error)},
          {"t", core::number_or_null(paired.t)},
          {"p_value", core::number_or_null(paired.p_value)},
          {"inside_noise", paired.inside_noise}};
}

Json shortfalls_json(const ExperimentResult& result) {
  Json list = Json::array();
  for (const CellResult* cell : shortfalls(result)) {
    list.push_back(
        {{"row", cell->row},
         {"column", cell->column},
         {"difference", describe(*cell).mean - cell->published->mean}});
  }
  return list;
}

Json standings_json(const ExperimentResult& result) {
  Json list = Json::array();
  for (const Standing& standing : standings(result)) {
    list.push_back(
        {{"column", standing.column},
         {"row", standing.row},
         {"rival", standing.rival},
         {"difference", core::number_or_null(standing.paired.difference.mean)},
         {"place", to_string(standing.place)}});
  }
  return list;
}

Json depth_json(const DepthSummary& summary) {
  return {{"column", summary.column},
          {"best_depth", summary.best_depth},
          {"best", summary.best},
          {"worst_depth", summary.worst_depth},
          {"worst", summary.worst},
          {"depths", summary.depths},
          {"missing", summary.missing},
          {"within_one_point", summary.within_one_point}};
}

Json made_by_json(const MadeBy& maker) {
  return {{"command", maker.command},
          {"version", maker.version},
          {"commit", maker.commit},
          {"runs", maker.runs}};
}

}  // namespace

Json to_json(const ExperimentResult& result) {
  Json cells = Json::array(), pairs = Json::array(), makers = Json::array();
  for (const CellResult& cell : result.cells) cells.push_back(cell_json(cell));
  for (const CellComparison& comparison : paired_comparisons(result)) {
    pairs.push_back(comparison_json(comparison));
  }
  for (const MadeBy& maker : result.made_by) {
    makers.push_back(made_by_json(maker));
  }
  Json json = {{"format", kResultFormat},
               {"experiment", result.name},
               {"title", result.title},
               {"unit", result.unit},
               {"quick", result.quick},
               {"made_by", makers},
               {"notes", result.notes},
               {"broken_lines", result.broken},
               {"cells", cells},
               {"paired", pairs},
               {"standings", standings_json(result)},
               {"shortfalls", shortfalls_json(result)},
               {"gates", result.gates}};
  json.update(origin_json(result));
  if (result.quick) json["label"] = quick_label();
  if (report_of(result).over_depth) {
    json["depth"] = Json::array();
    for (const DepthSummary& summary : summarise_depths(result)) {
      json["depth"].push_back(depth_json(summary));
    }
  }
  return json;
}

ExperimentResult experiment_result_from_json(const Json& json) {
  if (!json.is_object() || json.value("format", "") != kResultFormat) {
    fail("is no result of 'ognn reproduce'");
  }
  ExperimentResult result;
  static_cast<ResultOrigin&>(result) = origin_from_json(json);
  json.at("experiment").get_to(result.name);
  find_experiment(result.name);  // which says how it is shown
  json.at("title").get_to(result.title);
  json.at("unit").get_to(result.unit);
  json.at("quick").get_to(result.quick);
  for (const Json& maker : json.at("made_by")) {
    result.made_by.push_back({maker.at("command"), maker.at("version"),
                              maker.at("commit"),
                              core::whole_number(maker, "runs")});
  }
  json.at("notes").get_to(result.notes);
  json.at("broken_lines").get_to(result.broken);
  for (const Json& cell : json.at("cells")) {
    result.cells.push_back(cell_from_json(cell));
  }
  result.gates = json.at("gates");
  return result;
}

}  // namespace ordered_gnn::lab
