// Systems that are no rows of the paper's table.
#include <map>

#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

class ReproductionOtherSystems : public ReproductionTest {
 protected:
  static Json sgc_values() { return tiny(3, {{"model", "sgc"}}); }
};

TEST_F(ReproductionOtherSystems, NeedRecipesOfTheirOwn) {
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("systems", options_); }),
                       "no recipes for the experiment 'systems'"));
}

TEST_F(ReproductionOtherSystems, StandBesideOrderedGnnWithoutThePaper) {
  recipe("systems/sgc/tiny", sgc_values());
  run("table2");
  const ExperimentResult result = run("systems");
  EXPECT_EQ(trained_, 3);  // Ordered GNN is in the log
  EXPECT_EQ(result.cells.size(), 2u * 17);
  EXPECT_EQ(result.cells.front().row, "Ordered GNN");
  const CellResult* const sgc = find_cell(result, "SGC", "tiny");
  EXPECT_EQ(sgc->recipe, "systems/sgc/tiny");
  EXPECT_EQ(sgc->runs.size(), 3u);
  EXPECT_EQ(sgc->against, "Ordered GNN");
  EXPECT_EQ(find_cell(result, "UniMP", "tiny")->reason,
            "there is no recipe systems/unimp/tiny");
  const std::string page = out("systems/table.md");
  EXPECT_TRUE(contains(page, "best of the others"));
  EXPECT_FALSE(contains(page, "paper, %"));
  EXPECT_FALSE(contains(page, "published numbers"));
  run("systems");
  EXPECT_EQ(trained_, 0);
}

TEST_F(ReproductionOtherSystems, AreChosenByTheirNames) {
  recipe("systems/sgc/tiny", sgc_values());
  recipe("systems/ordered_gnn_sum/tiny", tiny(3));
  options_.models = {"gcn", "ordered_gnn_sum"};
  const ExperimentPlan plan = plan_experiment("systems", options_);
  ASSERT_EQ(plan.cells.size(), 4u);
  EXPECT_EQ(plan.cells[2].row, "Ordered GNN, sum");
  options_.models = {"gcn"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("systems", options_); }),
                       "has nothing for gcn; 'table2' has gcn"));
  options_.models = {"gcn", "ordered_gnn_sum"};
  EXPECT_TRUE(
      contains(error_of([&] { plan_experiment("table2", options_); }),
               "'table2' has nothing for ordered_gnn_sum; 'systems' has"));
  options_.models = {"sgcc"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("systems", options_); }),
                       "'sgc'"));
  options_.models = {"gcn"};
  options_.recipes = dir_ / "nothing";
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("systems", options_); }),
                       "no recipes for the experiment 'systems'"));
}

TEST(ReproductionOtherSystemsPlan, BuiltInRecipesFillTheTable) {
  const ExperimentPlan plan = plan_experiment("systems", {});
  ASSERT_EQ(plan.cells.size(), 17u * 9);
  std::map<std::string, Json> options;  // of the first column
  std::vector<std::string> rows;
  for (const PlannedCell& cell : plan.cells) {
    EXPECT_EQ(cell.unable, "") << cell.recipe;
    EXPECT_FALSE(cell.published) << cell.recipe;
    EXPECT_EQ(cell.options.data.data, cell.column) << cell.recipe;
    EXPECT_EQ(cell.options.data.split_set, "geom-gcn") << cell.recipe;
    options.emplace(cell.row, to_json(cell.options));
    if (rows.empty() || rows.back() != cell.row) rows.push_back(cell.row);
  }
  EXPECT_EQ(rows, (std::vector<std::string>{
                      "Ordered GNN", "SGC", "APPNP", "ResGCN", "IncepGCN",
                      "LINK", "label propagation", "UniMP", "gated GNN",
                      "bare GNN", "MLP + C&S", "GCN + C&S", "Ordered GNN, gcn",
                      "Ordered GNN, gat", "Ordered GNN, sum",
                      "Ordered GNN, max", "Ordered GNN, signed"}));
  for (const char* aggregator : {"gcn", "gat", "sum", "max", "signed"}) {
    const Json& cell = options.at(std::string("Ordered GNN, ") + aggregator);
    EXPECT_EQ(cell.at("aggregator"), aggregator);
    EXPECT_EQ(cell.at("model"), "ordered_gnn");
  }
  for (const char* model : {"MLP", "GCN"}) {
    EXPECT_EQ(options.at(std::string(model) + " + C&S").at("correct-smooth"),
              true);
  }
  EXPECT_EQ(options.at("bare GNN").at("gating"), "none");
  EXPECT_EQ(options.at("gated GNN").at("gating"), "simple");
}

}  // namespace
}  // namespace ordered_gnn::lab
