#include "lab/page/attribution_json.h"

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"

namespace ordered_gnn::lab {
namespace {

constexpr size_t kMostBrowserRows = 10;

const std::string& attribute_name(const ExplainedModel& model,
                                  const AttributeContribution& one) {
  return model.attributes.at(static_cast<size_t>(one.attribute)).name;
}

Json removal_json(const ExplainedModel& model,
                  const AttributeRemoval& removal) {
  return {{"change", removal.change},
          {"log_odds_change", removal.log_odds_change},
          {"predicted", removal.predicted},
          {"predicted_name", class_name(model, removal.predicted)}};
}

// What the rows after the shown ones add up to.
double own_beyond(const NodeAttribution& attribution, size_t shown) {
  double sum = 0;
  for (size_t i = shown; i < attribution.attributes.size(); ++i) {
    sum += attribution.attributes[i].own;
  }
  return sum;
}

}  // namespace

Json to_json(const ExplainedModel& model, const NodeAttribution& attribution) {
  if (!attribution.why_none.empty()) {
    return {{"why_none", attribution.why_none}};
  }
  Json attributes = Json::array(), neighbours = Json::array();
  for (const AttributeContribution& one : attribution.attributes) {
    attributes.push_back({{"name", attribute_name(model, one)},
                          {"value", one.value},
                          {"own", one.own},
                          {"others", one.others}});
    if (one.removal) {
      attributes.back()["removal"] = removal_json(model, *one.removal);
    }
  }
  for (const NodeContribution& one : attribution.neighbours) {
    neighbours.push_back({{"node", one.node},
                          {"name", node_title(model, one.node)},
                          {"distance", one.distance},
                          {"contribution", one.contribution}});
  }
  return {{"predicted", attribution.predicted},
          {"predicted_name", class_name(model, attribution.predicted)},
          {"log_odds", attribution.log_odds},
          {"baseline_log_odds", attribution.baseline_log_odds},
          {"probability", attribution.probability},
          {"baseline_probability", attribution.baseline_probability},
          {"steps", attribution.steps},
          {"residual", attribution.residual},
          {"own_share", attribution.own_share},
          {"own_total", attribution.own_total},
          {"others_total", attribution.others_total},
          {"attributes", attributes},
          {"neighbours", neighbours},
          {"num_neighbours", attribution.num_neighbours}};
}

Json to_json(const ImportanceReport& report) {
  if (!report.why_none.empty()) return {{"why_none", report.why_none}};
  Json attributes = Json::array();
  for (const AttributeImportance& one : report.attributes) {
    attributes.push_back(
        {{"name", one.name},
         {"drop", one.drop},
         {"standard_error", core::number_or_null(one.standard_error)}});
  }
  return {{"metric", to_string(report.metric)},
          {"part", report.part},
          {"nodes", report.nodes},
          {"score", report.score},
          {"repeats", report.repeats},
          {"num_attributes", report.num_attributes},
          {"attributes", attributes}};
}

Json browser_attribution(const ExplainedModel& model,
                         const NodeAttribution& attribution) {
  if (!attribution.why_none.empty()) return {{"why", attribution.why_none}};
  Json rows = Json::array(), neighbours = Json::array();
  const size_t shown =
      std::min(attribution.attributes.size(), kMostBrowserRows);
  for (size_t i = 0; i < shown; ++i) {
    const AttributeContribution& one = attribution.attributes[i];
    Json row = {attribute_name(model, one), one.value, one.own, one.others};
    row.push_back(one.removal ? Json(one.removal->change) : Json());
    row.push_back(one.removal ? Json(one.removal->predicted) : Json());
    rows.push_back(std::move(row));
  }
  for (const NodeContribution& one : attribution.neighbours) {
    if (neighbours.size() >= kMostBrowserRows) break;
    neighbours.push_back({one.node, one.distance, one.contribution});
  }
  return {{"word", attribute_word(model)},
          {"rows", rows},
          {"more", attribution.attributes.size() - shown},
          {"moreOwn", own_beyond(attribution, shown)},
          {"probability", attribution.probability},
          {"base", attribution.baseline_probability},
          {"ownShare", attribution.own_share},
          {"steps", attribution.steps},
          {"residual", attribution.residual},
          {"neighbours", neighbours},
          {"numNeighbours", attribution.num_neighbours}};
}

}  // namespace ordered_gnn::lab
