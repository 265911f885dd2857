#include "shared/attribution_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "lab/page/attribute_section.h"
#include "shared/table.h"

namespace ordered_gnn::cli {
namespace {

constexpr size_t kMostAttributes = 10;
constexpr size_t kMostImportant = 15;

std::string points(double change) {
  return fmt::format("{:+.2f}", 100 * change);
}

std::string attributes_table(const lab::ExplainedModel& model,
                             const NodeAttribution& attribution) {
  using lab::Align;
  Table table({lab::attribute_word(model), "value", "contribution",
               "of other nodes", "without it, points", "predicted then"},
              {Align::left, Align::left, Align::right, Align::right,
               Align::right, Align::left});
  const size_t shown = std::min(attribution.attributes.size(), kMostAttributes);
  for (size_t i = 0; i < shown; ++i) {
    const AttributeContribution& one = attribution.attributes[i];
    table.add(
        {model.attributes.at(static_cast<size_t>(one.attribute)).name,
         one.value, fmt::format("{:+.3f}", one.own),
         fmt::format("{:+.3f}", one.others),
         one.removal ? points(one.removal->change) : "",
         one.removal ? lab::class_name(model, one.removal->predicted) : ""});
  }
  double own = 0, others = 0;
  for (size_t i = shown; i < attribution.attributes.size(); ++i) {
    own += attribution.attributes[i].own;
    others += attribution.attributes[i].others;
  }
  if (shown < attribution.attributes.size()) {
    table.add({fmt::format("{} more", attribution.attributes.size() - shown),
               "", fmt::format("{:+.3f}", own),
               fmt::format("{:+.3f}", others)});
  }
  return table.text();
}

// How many removals change the log-odds the way the contribution says.
std::string agreement_text(const NodeAttribution& attribution) {
  int tried = 0, agree = 0;
  for (const AttributeContribution& one : attribution.attributes) {
    if (!one.removal) continue;
    ++tried;
    agree += one.own * one.removal->log_odds_change <= 0;
  }
  if (tried == 0) return "";
  return fmt::format(
      " Taking them out one by one (the value of an average node instead) goes "
      "the way their sign says for {} of {} tried.",
      agree, tried);
}

std::string neighbours_table(const lab::ExplainedModel& model,
                             const NodeAttribution& attribution) {
  if (attribution.neighbours.empty()) return "";
  using lab::Align;
  Table table(
      {"node", "hops away", "predicted", "label", "contribution"},
      {Align::left, Align::right, Align::left, Align::left, Align::right});
  const size_t shown = std::min(attribution.neighbours.size(), kMostAttributes);
  for (size_t i = 0; i < shown; ++i) {
    const NodeContribution& one = attribution.neighbours[i];
    const auto v = static_cast<size_t>(one.node);
    table.add({lab::node_title(model, one.node), std::to_string(one.distance),
               lab::class_name(model, model.graph.nodes.predicted[v]),
               lab::class_name(model, model.graph.nodes.label[v]),
               fmt::format("{:+.3f}", one.contribution)});
  }
  return fmt::format("\nOther nodes whose {}s mattered most ({} of {})\n",
                     lab::attribute_word(model), shown,
                     attribution.num_neighbours) +
         table.text();
}

}  // namespace

std::string attribution_text(const lab::ExplainedModel& model,
                             const NodeAttribution& attribution) {
  if (!attribution.why_none.empty()) {
    return "\n" + attribution.why_none + "\n";
  }
  const std::string word = lab::attribute_word(model);
  std::string out = fmt::format("\nWhich {}s mattered\n", word) +
                    attributes_table(model, attribution);
  out += fmt::format(
      "Contributions to the log-odds of {}: {:+.3f} by its own {}s and {:+.3f} "
      "by those of other nodes take it from {} % for an average node to {} % "
      "({} % of their size its own; integrated gradients, {} steps, {:+.4f} "
      "left over).",
      lab::class_name(model, attribution.predicted), attribution.own_total,
      word, attribution.others_total, percent(attribution.baseline_probability),
      percent(attribution.probability),
      fmt::format("{:.0f}", 100 * attribution.own_share), attribution.steps,
      attribution.residual);
  return out + agreement_text(attribution) + "\n" +
         neighbours_table(model, attribution);
}

std::string importance_text(const lab::ExplainedModel& model) {
  const ImportanceReport& report = *model.importance;
  if (!report.why_none.empty()) return "\n" + report.why_none + "\n";
  Table table({lab::attribute_word(model), "drop, points", "standard error"});
  const size_t shown = std::min(report.attributes.size(), kMostImportant);
  for (size_t i = 0; i < shown; ++i) {
    const AttributeImportance& one = report.attributes[i];
    table.add({one.name, points(one.drop), percent(one.standard_error)});
  }
  std::string out = "\n" + table.text();
  if (shown < report.attributes.size()) {
    out += fmt::format("and {} more\n", report.attributes.size() - shown);
  }
  return out + lab::importance_sentence(model) + "\n";
}

}  // namespace ordered_gnn::cli
