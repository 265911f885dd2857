#include "lab/page/explanation_page.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <numeric>

#include "lab/page/explanation_json.h"
#include "lab/page/figures.h"
#include "lab/report/svg_document.h"
#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/train/train.h"
#include "page_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

std::vector<std::string> section_ids(const std::vector<PageSection>& sections) {
  std::vector<std::string> ids;
  for (const PageSection& section : sections) ids.push_back(section.id);
  return ids;
}

const PageFigure& figure_of(const std::vector<PageSection>& sections,
                            const std::string& name) {
  for (const PageSection& section : sections) {
    for (const PageFigure& figure : section.figures) {
      if (figure.name == name) return figure;
    }
  }
  throw Error("there is no figure " + name);
}

TEST(ExplanationPage, HasEverySectionAndValidPlots) {
  const std::vector<PageSection> sections =
      explanation_sections(line_of_four());
  EXPECT_EQ(section_ids(sections),
            (std::vector<std::string>{"summary", "training", "hops", "gates",
                                      "scores", "depth", "nodes"}));
  size_t figures = 0;
  for (const PageSection& section : sections) {
    for (const PageFigure& figure : section.figures) {
      EXPECT_TRUE(is_valid_svg(figure.svg)) << figure.name;
      EXPECT_FALSE(figure.numbers.rows().empty()) << figure.name;
      ++figures;
    }
  }
  EXPECT_EQ(figures, 18u);
}

TEST(ExplanationPage, FiguresShowTheNumbers) {
  const std::vector<PageSection> sections =
      explanation_sections(line_of_four());
  EXPECT_EQ(
      figure_of(sections, "hops-by-class").numbers.rows()[1],
      (std::vector<std::string>{"dog <b>", "2", "50.00", "30.00", "20.00"}));
  EXPECT_EQ(figure_of(sections, "confusion").numbers.rows()[1],
            (std::vector<std::string>{"dog <b>", "1", "0"}));
  EXPECT_EQ(figure_of(sections, "splits").numbers.rows()[0],
            (std::vector<std::string>{"1", "50.00"}));
  EXPECT_EQ(figure_of(sections, "energy").numbers.rows()[2],
            (std::vector<std::string>{"2", "3"}));
  const ReportTable& curve = figure_of(sections, "curve-accuracy").numbers;
  // No epoch has a test score, so there is no column of them.
  EXPECT_EQ(curve.rows()[1], (std::vector<std::string>{"2", "50", "50"}));
  // Groups without nodes have no bar.
  EXPECT_EQ(figure_of(sections, "accuracy-by-degree").numbers.rows().size(),
            2u);
}

TEST(ExplanationPage, IsOnePageWithItsNodes) {
  const std::string html = html_page(explanation_page(line_of_four()));
  EXPECT_TRUE(contains(html, "<h1>ordered_gnn on four</h1>"));
  EXPECT_TRUE(contains(html, "dog &lt;b&gt;"));
  EXPECT_EQ(html.find("dog <b>"), std::string::npos);
  EXPECT_TRUE(contains(html, "Most confident mistakes"));
  EXPECT_TRUE(contains(html, "Most unusual hop shares"));
  EXPECT_TRUE(contains(html, "href=\"#node=2\""));
  EXPECT_EQ(html, html_page(explanation_page(line_of_four())));
}

TEST(ExplanationPage, NamesNodesAndColumns) {
  const ExplainedModel model = with_attributes();
  const std::vector<PageSection> sections = explanation_sections(model);
  EXPECT_EQ(section_ids(sections),
            (std::vector<std::string>{"summary", "training", "hops", "gates",
                                      "scores", "depth", "columns", "nodes"}));
  const PageFigure& figure = figure_of(sections, "column-importance");
  EXPECT_TRUE(is_valid_svg(figure.svg));
  EXPECT_EQ(figure.numbers.rows()[0],
            (std::vector<std::string>{"plan <i>", "25.00", "5.00"}));
  const PageSection& columns = sections[sections.size() - 2];
  EXPECT_EQ(columns.title, "Which columns matter");
  EXPECT_TRUE(contains(columns.paragraphs[0], "on the 1 test nodes is 50.00"));
  EXPECT_TRUE(contains(columns.paragraphs[0], "Of 3 columns the 2 were tried"));
  const std::string html = html_page(explanation_page(model));
  // A row that lists a node shows its name and leads to its number.
  EXPECT_TRUE(contains(html, "<a href=\"#node=2\" data-node=\"2\">bob</a>"));
  EXPECT_TRUE(contains(html, "placeholder=\"a name, or 0 to 3\""));
  EXPECT_EQ(html.find("plan <i>"), std::string::npos);
  EXPECT_EQ(node_title(model, 0), "ann");
  EXPECT_EQ(node_title(line_of_four(), 0), "0");
}

// 60 customers in a ring of three, whose label is their plan.
NodeDataset customers() {
  constexpr int64_t kCustomers = 60;
  const at::Tensor node = torch::arange(kCustomers, at::kLong);
  const at::Tensor gold = node.remainder(2).to(at::kFloat);
  const at::Tensor age = (node.remainder(7).to(at::kFloat) - 3) / 2;
  NodeDataset data =
      make_dataset(torch::stack({node, (node + 2).remainder(kCustomers)}, 1),
                   torch::stack({age, 1 - gold, gold}, 1), node.remainder(2));
  Column number, category;
  number.name = "age";
  number.mean = 40;
  number.deviation = 10;
  number.num_features = category.first_feature = 1;
  category.name = "plan";
  category.kind = ColumnKind::category;
  category.categories = {"basic", "gold"};
  category.num_features = 2;
  data.columns = {number, category};
  data.feature_names = feature_names(data.columns);
  data.class_names = {"stays", "leaves"};
  for (int64_t v = 0; v < kCustomers; ++v) {
    data.node_names.push_back(fmt::format("customer {}", 1000 + v));
  }
  return data;
}

TEST(ExplainCheckpoint, IsInTheUsersWords) {
  const NodeDataset data = customers();
  ASSERT_EQ(data.treatment.features, Treatment::Features::raw);
  RunOptions options = default_options("ordered_gnn");
  options.network.layers = 2;
  options.network.hidden = 16;
  options.network.chunk = 4;
  options.train.epochs = 40;
  const Trained trained = train(data, 0, options);
  ExplainOptions explain;
  explain.nodes = {5};
  explain.importance = true;
  const ExplainedModel model =
      explain_checkpoint(trained, data, "no/such/file", explain);
  const Json json = to_json(model);
  EXPECT_EQ(json.at("importance").at("attributes")[0].at("name"), "plan");
  EXPECT_GT(json.at("importance").at("attributes")[0].at("drop"), 0.2);
  const Json& node = json.at("nodes")[0];
  EXPECT_EQ(node.at("name"), "customer 1005");
  EXPECT_EQ(node.at("predicted_name"), "leaves");
  const Json& plan = node.at("attribution").at("attributes")[0];
  EXPECT_EQ(plan.at("name"), "plan");
  EXPECT_EQ(plan.at("value"), "gold");
  EXPECT_GT(plan.at("own"), 0.1);
  EXPECT_LT(plan.at("removal").at("change"), 0);
  EXPECT_EQ(node.at("attribution").at("attributes")[1].at("value"), "50");
}

TEST(ExplanationPage, SaysWhyNoColumnMatters) {
  ExplainedModel model = with_attributes();
  model.has_columns = false;
  model.importance->why_none = "Nodes have no attributes.";
  const std::vector<PageSection> sections = explanation_sections(model);
  const PageSection& features = sections[sections.size() - 2];
  EXPECT_EQ(features.title, "Which features matter");
  EXPECT_EQ(features.paragraphs[0], "Nodes have no attributes.");
  EXPECT_TRUE(features.figures.empty());
}

TEST(ExplanationPage, SaysWhatAModelDoesNotHave) {
  const ExplainedModel model = without_layers();
  const std::vector<PageSection> sections = explanation_sections(model);
  EXPECT_EQ(section_ids(sections),
            (std::vector<std::string>{"summary", "hops", "gates", "scores",
                                      "depth", "nodes"}));
  const std::string html = html_page(explanation_page(model));
  EXPECT_TRUE(contains(html, "it has no hop shares"));
  EXPECT_TRUE(contains(html, "This model has no gates."));
  EXPECT_TRUE(contains(html, "does not show the states of its layers"));
  EXPECT_EQ(html.find("Most unusual"), std::string::npos);
}

TEST(ExplanationPage, WithoutLabelsThereIsNothingToScore) {
  ExplainedModel model = without_layers();
  const NodeTable& nodes = model.graph.nodes;
  model.graph.nodes.label.assign(4, -1);
  model.graph.mistakes.clear();
  model.graph.parts = {score_part("all", {0, 1, 2, 3}, nodes.label,
                                  nodes.predicted, nodes.confidence, 2)};
  EXPECT_TRUE(contains(html_page(explanation_page(model)),
                       "There are no labels to score against."));
}

TEST(ExplanationPage, KeepsLargeNodeListsWithinItsSize) {
  ExplainedModel model = without_layers();
  constexpr int64_t kNodes = 20000;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < kNodes; ++v) {
    for (int64_t step : {1, 77, 1001, 4099, 9001}) {
      edges.emplace_back(v, (v + step) % kNodes);
    }
  }
  model.network = Graph::from_edges(kNodes, edges);
  NodeTable& nodes = model.graph.nodes;
  nodes.label.assign(kNodes, 1);
  nodes.predicted.assign(kNodes, 0);
  nodes.confidence.assign(kNodes, 0.5f);
  nodes.homophily.assign(kNodes, 0.5f);
  nodes.degree.assign(kNodes, 5);
  nodes.part.assign(kNodes, NodePart::none);
  Page page = explanation_page(model);
  page.max_bytes = 350000;
  const std::string html = html_page(page);
  EXPECT_LE(html.size(), 350000u);
  EXPECT_NE(html.find("<p class=\"note\">The graph is "), std::string::npos);
  page.max_bytes = 2000000;
  EXPECT_EQ(html_page(page).find("<p class=\"note\">The graph is "),
            std::string::npos);
}

TEST(ExplanationPage, WritesEveryPlotAndItsNumbers) {
  const TempDir folder;
  const std::vector<std::string> names =
      write_figures(explanation_sections(line_of_four()),
                    folder / "plots" / "deep")
          .names;
  EXPECT_EQ(names.size(), 18u);
  for (const std::string& name : names) {
    const std::filesystem::path stem = folder / "plots" / "deep" / name;
    EXPECT_TRUE(is_valid_svg(core::read_file(stem.string() + ".svg"))) << name;
    EXPECT_TRUE(contains(core::read_file(stem.string() + ".csv"), ",")) << name;
  }
  write_text(folder / "file", "x");
  EXPECT_TRUE(contains(error_of([&] {
                         write_figures(explanation_sections(line_of_four()),
                                       folder / "file");
                       }),
                       "file"));
}

TEST(ExplanationJson, HasNullForWhatIsNotANumber) {
  const Json json = to_json(line_of_four());
  EXPECT_EQ(json.at("dataset"), "four");
  EXPECT_EQ(json.at("by_degree")[0].at("accuracy"), nullptr);
  EXPECT_EQ(json.at("parts")[0].at("accuracy"), 0.0);
  EXPECT_EQ(json.at("layers")[1].at("saturated"), 0.25);
  EXPECT_EQ(json.at("nodes")[0].at("tree")[3].at("left_out"), 7);
  EXPECT_EQ(json.at("nodes")[0].at("influences")[0].at("change"), -0.5);
  EXPECT_EQ(to_json(without_layers()).at("split"), nullptr);
  EXPECT_FALSE(to_json(without_layers()).contains("nodes"));
}

TEST(ExplanationJson, NamesWhatMattered) {
  const Json json = to_json(with_attributes());
  const Json& node = json.at("nodes")[0];
  EXPECT_EQ(node.at("name"), "bob");
  EXPECT_EQ(node.at("predicted_name"), "cat");
  EXPECT_EQ(node.at("label_name"), "dog <b>");
  EXPECT_EQ(node.at("runner_up_name"), "dog <b>");
  EXPECT_EQ(node.at("influences")[0].at("name"), "3");
  const Json& attribution = node.at("attribution");
  const Json& plan = attribution.at("attributes")[0];
  EXPECT_EQ(plan.at("name"), "plan <i>");
  EXPECT_EQ(plan.at("value"), "gold & more");
  EXPECT_EQ(plan.at("own"), 2.0);
  EXPECT_EQ(plan.at("removal").at("predicted_name"), "dog <b>");
  EXPECT_FALSE(attribution.at("attributes")[2].contains("removal"));
  EXPECT_EQ(attribution.at("neighbours")[0].at("name"), "eve");
  EXPECT_EQ(attribution.at("residual"), 0.002);
  EXPECT_EQ(json.at("importance").at("attributes")[1].at("name"), "age");
  EXPECT_EQ(json.at("mistakes")[0].at("name"), "bob");
  ExplainedModel model = with_attributes();
  model.attributions[0].why_none = "Nodes have no attributes.";
  EXPECT_EQ(to_json(model).at("nodes")[0].at("attribution").at("why_none"),
            "Nodes have no attributes.");
  EXPECT_FALSE(to_json(line_of_four()).contains("importance"));
}

TEST(HopRanges, CoverEveryHopOnce) {
  for (const size_t shares : {1u, 2u, 5u, 9u, 10u, 17u, 33u, 65u, 129u}) {
    size_t next = 0;
    for (const HopRange& range : hop_ranges(shares)) {
      EXPECT_EQ(range.first, next);
      EXPECT_GE(range.last, range.first);
      next = range.last + 1;
    }
    EXPECT_EQ(next, shares);
  }
  EXPECT_EQ(hop_ranges(9).size(), 9u);
  const std::vector<HopRange> deep = hop_ranges(65);
  EXPECT_EQ(deep.size(), 9u);
  EXPECT_EQ(deep[5].name, "hops 5-8");
  EXPECT_EQ(deep.back().name, "hops 33-64");
}

}  // namespace
}  // namespace ordered_gnn::lab
