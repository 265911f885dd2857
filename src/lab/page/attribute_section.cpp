#include "lab/page/attribute_section.h"

#include <fmt/format.h>

#include "lab/page/figures.h"

namespace ordered_gnn::lab {
namespace {

// "macro f1".
std::string metric_words(Metric metric) {
  std::string words = to_string(metric);
  for (char& letter : words) {
    if (letter == '_' || letter == '-') letter = ' ';
  }
  return words;
}

std::string part_words(const ImportanceReport& report) {
  return fmt::format("{} {} nodes", report.nodes,
                     report.part == "all" ? "labelled" : report.part);
}

PageFigure importance_figure(const ExplainedModel& model) {
  const ImportanceReport& report = *model.importance;
  const std::string word = attribute_word(model);
  RowBars plot;
  plot.frame.title =
      fmt::format("Importance of {}s, {}", word, part_words(report));
  plot.frame.width = 640;
  plot.x.title = fmt::format("drop of {} when shuffled, points",
                             metric_words(report.metric));
  plot.unit = " points";
  ReportTable numbers({word, "drop, points", "standard error"});
  for (const AttributeImportance& one : report.attributes) {
    plot.rows.push_back({one.name, 100 * one.drop, 200 * one.standard_error});
    numbers.add(
        {one.name, percent_text(one.drop), percent_text(one.standard_error)});
  }
  return {"column-importance", row_bars(plot),
          "Lines: two standard errors to both sides. A bar near 0 says that "
          "the model does without, not that there is nothing to learn from "
          "it: another one may say the same.",
          numbers};
}

}  // namespace

std::string importance_sentence(const ExplainedModel& model) {
  const ImportanceReport& report = *model.importance;
  const std::string word = attribute_word(model);
  std::string out = fmt::format(
      "The {} on the {} is {} %. The drop is how much of it is lost when the "
      "values of a {} are shuffled over all nodes, mean of {} shuffles.",
      metric_words(report.metric), part_words(report),
      percent_text(report.score), word, report.repeats);
  if (static_cast<int64_t>(report.attributes.size()) < report.num_attributes) {
    out += fmt::format(
        " Of {} {}s the {} were tried that predictions depend on most.",
        report.num_attributes, word, report.attributes.size());
  }
  return out;
}

PageSection attribute_section(const ExplainedModel& model) {
  PageSection section;
  section.id = "columns";
  section.title = fmt::format("Which {}s matter", attribute_word(model));
  if (!model.importance->why_none.empty()) {
    section.paragraphs = {model.importance->why_none};
    return section;
  }
  section.paragraphs = {importance_sentence(model)};
  section.figures = {importance_figure(model)};
  return section;
}

}  // namespace ordered_gnn::lab
