// Who is best, and whether that is more than chance.
#include "lab/compare/result.h"

#include <gtest/gtest.h>

#include <cmath>

#include "lab/compare/comparison.h"
#include "lab/compare/several.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

ComparedModel model_of(const std::string& name,
                       const std::vector<double>& scores) {
  ComparedModel model;
  model.model = name;
  model.parameters = 10;
  for (const double score : scores) {
    ComparedRun run;
    run.split = static_cast<int64_t>(model.runs.size());
    run.seed = 42;
    run.test = score;
    run.validation = score;
    run.seconds = 2;
    model.runs.push_back(run);
  }
  return model;
}

ComparedModel failed_model(const std::string& name) {
  ComparedModel model = model_of(name, {});
  model.error = "it | diverged";
  return model;
}

Comparison comparison_of(const std::vector<ComparedModel>& models) {
  Comparison comparison;
  comparison.dataset = "texas";
  comparison.metric = "accuracy";
  comparison.models = models;
  return comparison;
}

TEST(ComparedRows, RankModelsAndTellRealDifferencesFromChance) {
  // c is behind a on every split, b by chance.
  const Comparison comparison =
      comparison_of({model_of("c", {0.50, 0.59, 0.70, 0.61}), failed_model("d"),
                     model_of("a", {0.70, 0.80, 0.90, 0.80}),
                     model_of("b", {0.75, 0.70, 0.92, 0.81})});
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  ASSERT_EQ(rows.size(), 4u);
  EXPECT_EQ(rows[0].model->model, "a");
  EXPECT_EQ(rows[0].place, ComparedPlace::best);
  EXPECT_EQ(rows[1].model->model, "b");
  EXPECT_EQ(rows[1].place, ComparedPlace::level);
  EXPECT_EQ(rows[2].model->model, "c");
  EXPECT_EQ(rows[2].place, ComparedPlace::behind);
  EXPECT_NEAR(rows[2].paired.difference.mean, -0.2, 1e-12);
  EXPECT_NEAR(rows[2].p_adjusted, 2 * rows[2].paired.p_value, 1e-12);
  EXPECT_EQ(rows[3].place, ComparedPlace::failed);
  EXPECT_EQ(rows[3].rank, 0);
  EXPECT_EQ(conclusion(comparison),
            "On texas, a has the highest mean test accuracy (80.00 %), but 4 "
            "runs cannot tell b from it: use more splits or --seeds 42,43,44. "
            "Really behind is c.");
}

TEST(ComparedRows, PairsAreOfTheSameSplitAndSeed) {
  ComparedModel a = model_of("a", {0.9, 0.8, 0.7});
  ComparedModel b = model_of("b", {0.6, 0.7, 0.8});
  std::swap(b.runs[0], b.runs[2]);
  b.runs.pop_back();
  const Comparison comparison = comparison_of({a, b});
  const ComparedRow row = ranked_rows(comparison)[1];
  EXPECT_EQ(row.paired.difference.count, 2);
  EXPECT_NEAR(row.paired.difference.mean, (0.8 - 0.7 + 0.7 - 0.8) / 2, 1e-12);
}

TEST(ComparedRows, SeedsAreAveragedWithinASplit) {
  // Two splits of three seeds: the splits count, not the six runs.
  ComparedModel a = model_of("a", {0.9, 0.8, 0.7, 0.6, 0.5, 0.4});
  ComparedModel b = model_of("b", {0.8, 0.7, 0.6, 0.55, 0.4, 0.4});
  for (ComparedModel* model : {&a, &b}) {
    for (size_t i = 0; i < 6; ++i) {
      model->runs[i].split = i < 3 ? 0 : 1;
      model->runs[i].seed = static_cast<int64_t>(42 + i % 3);
    }
  }
  const Comparison comparison = comparison_of({a, b});
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  EXPECT_EQ(rows[0].score.count, 2);
  EXPECT_NEAR(rows[0].score.mean, 0.65, 1e-12);
  EXPECT_NEAR(rows[0].score.standard_error, 0.15, 1e-12);
  EXPECT_EQ(rows[1].paired.difference.count, 2);
  EXPECT_NEAR(rows[1].paired.difference.mean, -0.075, 1e-12);
  EXPECT_TRUE(contains(conclusion(comparison), "but 2 splits cannot tell b"))
      << conclusion(comparison);
  const Json json = to_json(comparison);
  EXPECT_EQ(json.at("models")[0].at("n"), 6);
  EXPECT_EQ(json.at("models")[0].at("n_separate"), 2);
}

TEST(ComparedRows, EqualMeansShareARank) {
  const Comparison comparison =
      comparison_of({model_of("a", {0.1, 0.2, 0.3}),
                     model_of("b", {0.3, 0.2, 0.1}), model_of("c", {0.1, 0})});
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  EXPECT_EQ(rows[0].rank, 1);
  EXPECT_EQ(rows[1].rank, 1);
  EXPECT_EQ(rows[2].rank, 3);
  EXPECT_EQ(rows[0].place, ComparedPlace::level);
  EXPECT_EQ(rows[1].place, ComparedPlace::level);
  EXPECT_TRUE(shares_the_best(rows[1]));
  EXPECT_FALSE(shares_the_best(rows[2]));
  EXPECT_TRUE(contains(conclusion(comparison),
                       "the highest mean test accuracy is 20.00 %: a and b are "
                       "level, their means are equal."))
      << conclusion(comparison);
  EXPECT_FALSE(contains(comparison_text(comparison), "best\n"));
}

TEST(Conclusions, SayNoMoreThanTheRunsDo) {
  const auto says = [](const std::vector<ComparedModel>& models,
                       const char* part) {
    const std::string text = conclusion(comparison_of(models));
    EXPECT_TRUE(contains(text, part)) << text;
  };
  says({}, "No model has a result");
  says({failed_model("a"), failed_model("b")}, "No model has a result");
  says({model_of("a", {0.5}), failed_model("b")}, "Only a has a result");
  says({model_of("a", {0.9}), model_of("b", {0.1})}, "one run cannot tell");
  says({model_of("a", {0.9, 0.8, 0.9}), model_of("b", {0.1, 0, 0.1})},
       "every other model is really behind");
  says({model_of("a", {0.9, 0.8, 0.7}), model_of("b", {0.7, 0.8, 0.89}),
        model_of("c", {0.8, 0.8, 0.79})},
       "3 runs cannot tell b and c from it");
  says({model_of("a", {0.9, 0.8, 0.7, 0.8, 0.8}),
        model_of("b", {0.7, 0.8, 0.9, 0.8, 0.79})},
       "b is level with it: a difference that small may be chance");
}

TEST(ComparisonTables, HaveALineForEveryModel) {
  Comparison comparison = comparison_of(
      {model_of("a", {0.9, 0.8}), failed_model("b"), model_of("c", {0.5})});
  comparison.trials = 8;
  comparison.broken = {"runs.jsonl:3: is no complete JSON object"};
  const std::string csv = comparison_csv(comparison);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  const std::string markdown = comparison_markdown(comparison);
  for (const char* part : {"b: failed: it | diverged", "runs.jsonl:3",
                           "could try 8 settings", "compare.svg"}) {
    EXPECT_TRUE(contains(markdown, part)) << part;
  }
  EXPECT_TRUE(contains(comparison_text(comparison), "one run, not judged"));
  const auto text_of = [](size_t runs) {
    ComparedModel b = model_of("b", std::vector<double>(runs, 0.5));
    b.runs[0].test = 0.1;
    b.runs[1].test = 0.89;
    return comparison_text(
        comparison_of({model_of("a", std::vector<double>(runs, 0.5)), b}));
  };
  EXPECT_TRUE(contains(text_of(4), "4 runs cannot tell")) << text_of(4);
  EXPECT_TRUE(contains(text_of(5), "level with the best")) << text_of(5);
  EXPECT_TRUE(contains(comparison_plot(comparison), "<svg"));
  comparison.models.clear();
  EXPECT_TRUE(contains(comparison_plot(comparison), "<svg"));
}

TEST(ComparisonOfDatasets, HasARowPerModelAndSaysWhoIsLevel) {
  Comparison first =
      comparison_of({model_of("a", {0.5, 0.5}), model_of("b", {0.5, 0.5}),
                     failed_model("c")});
  Comparison second =
      comparison_of({model_of("a", {0.25}), model_of("b", {0.75})});
  second.dataset = "cora";
  const ReportTable table = datasets_table({first, second});
  EXPECT_EQ(table.header(),
            (std::vector<std::string>{"test accuracy, %", "texas", "cora"}));
  ASSERT_EQ(table.rows().size(), 3u);
  EXPECT_EQ(table.rows()[0],
            (std::vector<std::string>{"a", "50.00 ± 0.00 level",
                                      "25.00 cannot tell"}));
  EXPECT_EQ(table.rows()[1][2], "75.00 best");
  EXPECT_EQ(table.rows()[2], (std::vector<std::string>{"c", "failed", ""}));
  second.metric = "roc_auc";
  EXPECT_EQ(datasets_table({first, second}).header()[2], "cora (roc_auc, %)");
  EXPECT_TRUE(contains(datasets_markdown({first, second}), "are level"));
  EXPECT_EQ(datasets_json({first, second}).at("datasets").size(), 2u);
}

TEST(ComparisonOfDatasets, ALossIsNoPercentage) {
  Comparison comparison = comparison_of({model_of("a", {0.4321})});
  comparison.metric = "log_loss";
  const ReportTable table = datasets_table({comparison});
  EXPECT_EQ(table.header()[0], "test log_loss");
  EXPECT_EQ(table.rows()[0][1].substr(0, 6), "0.4321");
}

TEST(ComparisonJson, IsCompleteAndHoldsNoNaN) {
  const Json json = to_json(comparison_of(
      {model_of("a", {0.5}), model_of("b", {0.25}), failed_model("c")}));
  EXPECT_EQ(json.at("format"), "ordered_gnn comparison result 1");
  EXPECT_FALSE(json.at("conclusion").get<std::string>().empty());
  const Json& best = json.at("models")[0];
  EXPECT_EQ(best.at("rank"), 1);
  EXPECT_EQ(best.at("test_mean"), 0.5);
  EXPECT_TRUE(best.at("test_se").is_null());
  EXPECT_EQ(best.at("runs")[0].at("test"), 0.5);
  EXPECT_TRUE(best.at("config").contains("lr"));
  EXPECT_FALSE(best.contains("to_best"));
  EXPECT_EQ(json.at("models")[1].at("to_best").at("difference"), -0.25);
  EXPECT_EQ(json.at("models")[2].at("place"), "failed");
  EXPECT_EQ(json.at("models")[2].at("error"), "it | diverged");
}

TEST(ComparedRows, WithoutATestPartValidationJudgesAndThatIsSaid) {
  ComparedModel a = model_of("a", {0.9, 0.8, 0.7, 0.8, 0.9});
  ComparedModel b = model_of("b", {0.5, 0.4, 0.3, 0.4, 0.5});
  for (ComparedModel* model : {&a, &b}) {
    for (ComparedRun& run : model->runs) run.test = std::nan("");
  }
  const Comparison comparison = comparison_of({b, a});
  EXPECT_TRUE(judged_on_validation(comparison));
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  EXPECT_EQ(rows[0].model->model, "a");
  EXPECT_NEAR(rows[0].score.mean, 0.82, 1e-12);
  EXPECT_EQ(rows[1].place, ComparedPlace::behind);
  EXPECT_TRUE(contains(conclusion(comparison),
                       "a has the highest mean validation accuracy (82.00 %)"));
  EXPECT_TRUE(contains(conclusion(comparison), "There is no test part"));
  EXPECT_TRUE(contains(comparison_text(comparison), "validation accuracy, %"));
  const Json json = to_json(comparison);
  EXPECT_EQ(json.at("judged_on"), "validation");
  EXPECT_TRUE(json.at("models")[0].at("test_mean").is_null());
  EXPECT_TRUE(json.at("models")[0].at("test_std").is_null());
  EXPECT_NEAR(json.at("models")[0].at("val_mean").get<double>(), 0.82, 1e-12);
  // An empty field, not a word, in the table of numbers.
  EXPECT_EQ(comparison_csv(comparison).find("nan"), std::string::npos);
}

TEST(ComparedRows, OfLogLossesTheLowestIsTheBest) {
  Comparison comparison =
      comparison_of({model_of("a", {0.9, 1.2, 0.8, 1.0, 0.9}),
                     model_of("b", {0.5, 0.4, 0.3, 0.4, 0.5})});
  comparison.metric = "log_loss";
  const std::vector<ComparedRow> rows = ranked_rows(comparison);
  EXPECT_EQ(rows[0].model->model, "b");
  EXPECT_EQ(rows[0].rank, 1);
  EXPECT_EQ(rows[1].rank, 2);
  EXPECT_EQ(rows[1].place, ComparedPlace::behind);
  EXPECT_TRUE(contains(conclusion(comparison),
                       "b has the lowest mean test log_loss (0.4200)"));
}

}  // namespace
}  // namespace ordered_gnn::lab
