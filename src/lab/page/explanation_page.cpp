#include "lab/page/explanation_page.h"

#include <fmt/format.h>

#include <cmath>

#include "core/io/file.h"
#include "lab/page/attribute_section.h"
#include "lab/page/figures.h"
#include "lab/page/node_section.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/version.h"

namespace ordered_gnn::lab {
namespace {

double mean_homophily(const NodeTable& nodes) {
  double sum = 0;
  int64_t known = 0;
  for (const float value : nodes.homophily) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++known;
  }
  return known == 0 ? std::nan("") : sum / static_cast<double>(known);
}

std::vector<PageFact> summary_facts(const ExplainedModel& model) {
  const PartScores& part = main_part(model.graph);
  const OrderedGnnOptions& network = model.options.network;
  const double ego = model.graph.all.hop_shares.empty()
                         ? std::nan("")
                         : model.graph.all.hop_shares[0];
  std::vector<PageFact> facts = {
      {part.name == "test" ? "test accuracy" : "accuracy",
       percent_text(part.accuracy) + " %",
       count_text(part.labelled) + " labelled nodes"},
      {"macro F1", percent_text(part.macro_f1) + " %", ""},
      {"calibration error", percent_text(part.calibration_error) + " %",
       "expected, 15 bins"}};
  if (std::isfinite(ego)) {
    facts.push_back({"own share", percent_text(ego) + " %",
                     "of the neurons are the node's own"});
  }
  const ExplainedModel::Size size =
      model.in_parts.value_or(ExplainedModel::Size{
          model.network.num_nodes(),
          model.network.num_edges() - model.network.num_self_loops()});
  facts.push_back({"nodes", count_text(size.nodes), ""});
  facts.push_back(
      {"edges", count_text(size.edges), "ordered pairs without loops"});
  facts.push_back({"features", count_text(model.num_features), ""});
  facts.push_back({"classes", std::to_string(model.class_names.size()), ""});
  facts.push_back({"local homophily",
                   percent_text(mean_homophily(model.graph.nodes)) + " %",
                   "mean over nodes"});
  facts.push_back({"layers", std::to_string(network.layers),
                   fmt::format("width {}", network.hidden)});
  facts.push_back({"parameters", count_text(model.num_parameters), ""});
  return facts;
}

PageTable part_table(const ExplainedModel& model) {
  ReportTable table({"part", "nodes", "labelled", "accuracy, %", "macro F1, %",
                     "mean confidence, %", "calibration error, %"});
  for (const PartScores& part : model.graph.parts) {
    table.add({part.name, std::to_string(part.nodes),
               std::to_string(part.labelled), percent_text(part.accuracy),
               percent_text(part.macro_f1), percent_text(part.mean_confidence),
               percent_text(part.calibration_error)});
  }
  return {"", table, -1};
}

PageSection summary_section(const ExplainedModel& model) {
  PageSection section;
  section.id = "summary";
  section.title = "Summary";
  section.facts = summary_facts(model);
  section.tables = {part_table(model)};
  return section;
}

// A section of figures, or of a sentence where there are none.
PageSection figure_section(const std::string& id, const std::string& title,
                           const std::string& lead, const std::string& without,
                           std::vector<PageFigure> figures) {
  PageSection section;
  section.id = id;
  section.title = title;
  section.paragraphs = {figures.empty() ? without : lead};
  section.figures = std::move(figures);
  return section;
}

PageSection hop_section(const ExplainedModel& model) {
  std::string lead =
      "Every neuron is written last by one layer, or by none: the share of a "
      "node's neurons that hop k owns says how much of its representation "
      "comes from k hops away.";
  if (model.graph.nodes.share_source == HopShareSource::last_hop) {
    lead +=
        " This model has no gates: every layer overwrites all neurons, so "
        "they all belong to the last hop.";
  }
  return figure_section("hops", "Hops", lead,
                        "This model does not pass messages in layers that "
                        "could be told apart, so it has no hop shares.",
                        hop_figures(model));
}

}  // namespace

std::vector<PageSection> explanation_sections(const ExplainedModel& model) {
  std::vector<PageSection> sections = {summary_section(model)};
  if (!model.curves.empty()) {
    sections.push_back(figure_section("training", "Training",
                                      "How the run went, epoch by epoch.", "",
                                      curve_figures(model.curves)));
  }
  sections.push_back(hop_section(model));
  sections.push_back(figure_section(
      "gates", "Gates",
      "The gates of each layer over all nodes, as in the paper's figures.",
      "This model has no gates.", gate_figures(model)));
  sections.push_back(figure_section(
      "scores", "Scores",
      fmt::format("Where predictions are right and wrong, on the nodes of the "
                  "part \"{}\".",
                  main_part(model.graph).name),
      "There are no labels to score against.", score_figures(model)));
  sections.push_back(figure_section(
      "depth", "Depth",
      "Whether nodes stay apart as layers are added, or become alike.",
      "This model does not show the states of its layers.",
      depth_figures(model)));
  if (model.importance) sections.push_back(attribute_section(model));
  sections.push_back(node_section(model));
  return sections;
}

Page explanation_page(const ExplainedModel& model) {
  Page page;
  page.title = fmt::format("{} on {}", model.options.model, model.dataset);
  page.subtitle =
      model.split < 0
          ? "What the model does on this graph"
          : fmt::format("What the model does on this graph, split {}",
                        model.split);
  page.made_by = fmt::format("ognn {} ({})", kVersion, kCommit);
  page.sections = explanation_sections(model);
  if (!model.in_parts) page.nodes = explanation_browser(model);
  return page;
}

WrittenFigures write_figures(const std::vector<PageSection>& sections,
                             const std::filesystem::path& folder,
                             core::FormulaText formulas) {
  std::error_code status;
  std::filesystem::create_directories(folder, status);
  if (status) fail_in(folder, "cannot create the folder: " + status.message());
  WrittenFigures written;
  for (const PageSection& section : sections) {
    for (const PageFigure& figure : section.figures) {
      core::write_file(folder / (figure.name + ".svg"), figure.svg);
      core::write_file(folder / (figure.name + ".csv"),
                       figure.numbers.csv(formulas, &written.num_guarded));
      written.names.push_back(figure.name);
    }
  }
  return written;
}

}  // namespace ordered_gnn::lab
