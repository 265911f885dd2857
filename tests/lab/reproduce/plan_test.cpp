// What would run, told before anything does.
#include <algorithm>

#include "lab/reproduce/experiment.h"
#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

class ReproductionForecast : public ReproductionTest {
 protected:
  std::vector<std::string> names_of_all() {
    std::vector<std::string> names;
    for (const ExperimentPlan& plan : plan_experiments("all", options_)) {
      names.emplace_back(plan.experiment->name);
    }
    return names;
  }
};

TEST_F(ReproductionForecast, AForecastTrainsNothing) {
  const ExperimentPlan plan = plan_experiment("table2", options_);
  const auto forecast = [&] {
    return forecast_experiment(plan, dir_ / "out", batch_);
  };
  EXPECT_EQ(forecast()[1].runs, 3);
  EXPECT_EQ(forecast()[1].done, 0);
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out"));
  run("table2");
  EXPECT_EQ(forecast()[1].done, 3);
}

TEST_F(ReproductionForecast, AForecastKnowsTimingsAndKeptModels) {
  recipe("table2/pubmed", tiny(1));
  for (const char* name : {"runtime", "gates"}) {
    const ExperimentPlan plan = plan_experiment(name, options_);
    const auto done = [&] {
      return forecast_experiment(plan, dir_ / "out", batch_).at(0).done;
    };
    EXPECT_EQ(done(), 0) << name;
    run(name);
    EXPECT_EQ(done(), 1) << name;
  }
}

// Recipes may change while runs go on: the plan is what counts.
TEST_F(ReproductionForecast, APlanNeedsItsRecipesNoMore) {
  recipe("table2/pubmed", tiny(1));
  for (const char* name : {"table2", "runtime", "gates"}) {
    recipe("table2/pubmed", tiny(1));
    const ExperimentPlan plan = plan_experiment(name, options_);
    std::filesystem::remove_all(options_.recipes);
    int64_t runs = 0;
    for (const CellForecast& cell :
         forecast_experiment(plan, dir_ / "out", batch_)) {
      EXPECT_EQ(cell.status, CellStatus::done) << name;
      runs += cell.runs;
    }
    const ExperimentResult result =
        Reproduction(dir_ / "out", batch_).run(plan);
    EXPECT_EQ(result.name, name);
    ASSERT_EQ(result.cells.size(), plan.cells.size());
    size_t done = 0;
    for (const CellResult& cell : result.cells) done += cell.runs.size();
    EXPECT_EQ(done, static_cast<size_t>(runs)) << name;
  }
}

TEST_F(ReproductionForecast, OneModelIsLookedAtWhateverIsAskedFor) {
  recipe("table2/texas", tiny(3));
  options_.splits = "1,2";
  options_.seeds = {7, 8};
  const ExperimentPlan gates = plan_experiment("gates", options_);
  ASSERT_EQ(gates.cells.size(), 1u);
  EXPECT_EQ(gates.cells[0].splits, "0");
  EXPECT_EQ(gates.cells[0].seeds, (std::vector<int64_t>{7}));
  const ExperimentPlan table2 = plan_experiment("table2", options_);
  EXPECT_EQ(table2.cells[0].splits, "1,2");
  EXPECT_EQ(table2.cells[0].seeds, (std::vector<int64_t>{7, 8}));
}

TEST_F(ReproductionForecast, ModelsChooseRowsWhereTheyCan) {
  recipe("ablation/homophily-none", [] {
    Json values = tiny(2);
    values["gating"] = "none";
    return values;
  }());
  options_.models = {"mlp"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("ablation", options_); }),
                       "fixes its models"));
  options_.models = {"ordered_gnn"};
  EXPECT_EQ(names_of_all(), (std::vector<std::string>{"table2", "ablation"}));
}

TEST_F(ReproductionForecast, NamesThatAreWrongAreToldTheNearest) {
  EXPECT_TRUE(contains(error_of([&] { plan_experiments("tabel2", options_); }),
                       "'table2'"));
  EXPECT_TRUE(contains(error_of([&] { plan_experiments("al", options_); }),
                       "did you mean 'all'?"));
  options_.datasets = {"tiniest"};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "has no dataset tiniest"));
  EXPECT_TRUE(contains(error_of([&] { plan_experiments("all", options_); }),
                       "tiniest"));
  options_.datasets.clear();
  options_.seeds = {42, 43, 42};
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "the seed 42 is given twice"));
  options_.seeds.clear();
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("large", options_); }),
                       "no recipes"));
  recipe("table2/broken", "text");
  EXPECT_TRUE(contains(error_of([&] { plan_experiment("table2", options_); }),
                       "table2/broken"));
}

TEST_F(ReproductionForecast, AFileOfSeveralRecipesIsAFolderOfThem) {
  Json several = tiny(1);
  several["for"] = {{"third", {{"layers", 4}}}, {"tiny", {{"layers", 5}}}};
  recipe("table2", several);
  const ExperimentPlan plan = plan_experiment("table2", options_);
  std::vector<std::string> layers;
  for (const PlannedCell& cell : plan.cells) {
    layers.push_back(
        fmt::format("{} {}", cell.recipe, cell.options.network.layers));
  }
  // The file table2/tiny.json comes before the recipe of the same name.
  EXPECT_EQ(layers, (std::vector<std::string>{
                        "table2/other 2", "table2/third 4", "table2/tiny 2"}));
}

TEST_F(ReproductionForecast, AllIsWhatHasRecipes) {
  recipe("layers64/tiny", tiny(1));
  EXPECT_EQ(names_of_all(),
            (std::vector<std::string>{"table2", "depth", "layers64"}));
  options_.recipes.clear();
  const std::vector<std::string> names = names_of_all();
  for (const char* name : {"table2", "ablation", "depth", "layers64", "large",
                           "gates", "runtime"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(ReproductionPlans, HaveThePapersNumbersBesideTheRecipes) {
  ReproductionOptions options;
  options.models = {"ordered_gnn"};
  const ExperimentPlan table2 = plan_experiment("table2", options);
  options.models.clear();
  ASSERT_EQ(table2.cells.size(), 2u * 9);
  EXPECT_EQ(table2.cells[0].column, "texas");
  EXPECT_EQ(table2.cells[8].column, "cora");
  for (size_t i = 0; i < table2.cells.size(); ++i) {
    const PlannedCell& cell = table2.cells[i];
    EXPECT_TRUE(cell.published) << cell.column;
    const bool ours = cell.row == kOurSettings;
    EXPECT_EQ(cell.measured.has_value(), !ours && cell.column != "pubmed");
    if (!ours) continue;
    EXPECT_EQ(cell.published->mean, table2.cells[i - 9].published->mean);
  }
  const ExperimentPlan ablation = plan_experiment("ablation", options);
  ASSERT_EQ(ablation.cells.size(), 12u);
  EXPECT_EQ(ablation.cells[0].column, "homophily");
  for (const PlannedCell& cell : ablation.cells) {
    EXPECT_TRUE(cell.published) << cell.column << cell.row;
  }
  const ExperimentPlan depth = plan_experiment("depth", options);
  EXPECT_EQ(depth.cells.size(), 18u + 6 * 2 * 3 * 6);
  for (const PlannedCell& cell : depth.cells) {
    // The paper's figure has GAT without DropEdge, its table has no GAT, and no
    // number for IncepGCN on PubMed.
    const bool left_out =
        contains(cell.column, "GAT") || cell.column == "pubmed, IncepGCN";
    EXPECT_EQ(cell.published.has_value(), cell.row == "64" && !left_out)
        << cell.column << cell.row;
  }
  EXPECT_EQ(plan_experiment("depth-tuned", options).cells.size(), 18u);
  EXPECT_EQ(plan_experiment("tuned", options).cells.size(), 9u);
  EXPECT_EQ(plan_experiment("layers64", options).cells.size(), 3u);
  EXPECT_EQ(plan_experiment("gates", options).cells.size(), 6u);
  const ExperimentPlan runtime = plan_experiment("runtime", options);
  ASSERT_EQ(runtime.cells.size(), 4u);
  EXPECT_EQ(runtime.cells[3].options.network.layers, 4);
  EXPECT_EQ(runtime.cells[3].options.data.data, "synthetic:ogbn-arxiv");
  EXPECT_DOUBLE_EQ(runtime.cells[0].published->mean, 86.52);
}

}  // namespace
}  // namespace ordered_gnn::lab
