#include "lab/reproduce/report.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/io/file.h"
#include "lab/reproduce/depths.h"
#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

ExperimentResult small_result() {
  CellResult texas = finished_cell("Ordered GNN", "texas", {84, 86, 88});
  texas.published = PublishedValue{86.22, 4.12, 10};
  texas.measured = PublishedValue{83.51, 4.75, 10};
  CellResult mlp = finished_cell("MLP", "texas", {80, 82, 81});
  mlp.published = PublishedValue{80.81, 4.75, 10};
  mlp.against = "Ordered GNN";
  CellResult pubmed =
      missing_cell("Ordered GNN", "pubmed", "ind.pubmed.allx | not found");
  pubmed.published = PublishedValue{90.15, 0.38, 10};
  return result_of({texas, pubmed, mlp}, "ognn reproduce table2");
}

TEST(ReproductionResult, ComesBackFromJsonAsItWas) {
  const Json json = to_json(small_result());
  EXPECT_EQ(to_json(experiment_result_from_json(json)), json);
  const Json& texas = json.at("cells")[0];
  EXPECT_EQ(texas.at("n"), 3);
  EXPECT_DOUBLE_EQ(texas.at("mean"), 86);
  EXPECT_DOUBLE_EQ(texas.at("deviation"), 2);
  EXPECT_NEAR(texas.at("standard_error"), 2 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(texas.at("difference"), -0.22, 1e-9);
  EXPECT_EQ(texas.at("inside_two_standard_errors"), true);
  EXPECT_DOUBLE_EQ(texas.at("seconds"), 4.5);
  EXPECT_EQ(texas.at("paper").at("mean"), 86.22);
  EXPECT_EQ(json.at("paired").size(), 1u);
  EXPECT_DOUBLE_EQ(json.at("paired")[0].at("difference"), -5);
}

TEST(ReproductionResult, DamagedJsonIsRefused) {
  const auto refused = [](const std::function<void(Json&)>& damage) {
    Json json = to_json(small_result());
    damage(json);
    try {
      experiment_result_from_json(json);
    } catch (const std::exception&) {
      return true;
    }
    return false;
  };
  EXPECT_TRUE(refused([](Json& json) { json = "text"; }));
  EXPECT_TRUE(refused([](Json& json) { json.erase("format"); }));
  EXPECT_TRUE(refused([](Json& json) { json.erase("cells"); }));
  EXPECT_TRUE(refused([](Json& json) { json["cells"][0].erase("row"); }));
  EXPECT_TRUE(refused([](Json& json) { json["cells"][0]["status"] = "good"; }));
  EXPECT_TRUE(
      refused([](Json& json) { json["cells"][0]["runs"] = Json::array(); }));
  EXPECT_TRUE(refused(
      [](Json& json) { json["cells"][0]["runs"][0]["score"] = "high"; }));
  EXPECT_FALSE(refused([](Json&) {}));
}

TEST(ReproductionResult, PairsAreOfTheSameSplitAndSeed) {
  ExperimentResult result = small_result();
  result.cells[2].runs[0].seed = 43;
  const std::vector<CellComparison> pairs = paired_comparisons(result);
  ASSERT_EQ(pairs.size(), 1u);
  EXPECT_EQ(pairs[0].paired.difference.count, 2);
  EXPECT_DOUBLE_EQ(pairs[0].paired.difference.mean, (-4 - 7) / 2.0);
  result.cells[2].status = CellStatus::failed;
  EXPECT_TRUE(paired_comparisons(result).empty());
}

TEST(ReproductionResult, DepthsWithinOnePoint) {
  ExperimentResult result;
  result.name = "depth";
  result.cells = {finished_cell("2", "cora", {88, 88}),
                  finished_cell("4", "cora", {88.5, 89.5}),
                  finished_cell("64", "cora", {})};
  result.cells[2].status = CellStatus::failed;
  const std::vector<DepthSummary> cora = summarise_depths(result);
  ASSERT_EQ(cora.size(), 1u);
  EXPECT_EQ(cora[0].best_depth, 4);
  EXPECT_DOUBLE_EQ(cora[0].best, 89);
  EXPECT_EQ(cora[0].missing, (std::vector<int64_t>{64}));
  EXPECT_TRUE(cora[0].within_one_point);
  result.cells[0].runs[0].score = 87.9;
  EXPECT_FALSE(summarise_depths(result)[0].within_one_point);
}

TEST(ReproductionResult, TheFirstRowStandsAgainstTheBestOfTheOthers) {
  ExperimentResult result = small_result();
  CellResult better = finished_cell("GCN", "texas", {90, 92, 94.5});
  better.against = "Ordered GNN";
  result.cells.push_back(better);
  std::vector<Standing> all = standings(result);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].rival, "GCN");
  EXPECT_NEAR(all[0].paired.difference.mean, -37.0 / 6, 1e-9);
  EXPECT_EQ(all[0].place, Standing::Place::behind);
  result.cells.back().runs[0].score = 70;
  EXPECT_EQ(standings(result)[0].place, Standing::Place::level);
  result.cells.pop_back();
  EXPECT_EQ(standings(result)[0].place, Standing::Place::best);
  result.name = "ablation";
  EXPECT_TRUE(standings(result).empty());
}

TEST(ReproductionResult, VariantsOfOrderedGnnAreNoRivalsOfIt) {
  ExperimentResult result = small_result();
  result.name = "systems";
  result.cells.push_back(
      finished_cell("Ordered GNN, gcn", "texas", {90, 92, 94.5}));
  EXPECT_EQ(standings(result)[0].rival, "MLP");
  EXPECT_EQ(standings(result).size(), 1u);
  // Ours are judged too, after the paper's.
  result.cells.back().row = kOurSettings;
  const std::vector<Standing> both = standings(result);
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[0].row, "Ordered GNN");
  EXPECT_EQ(both[1].row, kOurSettings);
  EXPECT_EQ(both[1].rival, "MLP");
  EXPECT_DOUBLE_EQ(both[1].paired.difference.mean, (10 + 10 + 13.5) / 3);
  result.cells.pop_back();
  // Runs of other splits say nothing of either.
  CellResult elsewhere = finished_cell("GCN", "texas", {99});
  elsewhere.runs[0].split = 7;
  result.cells.push_back(elsewhere);
  EXPECT_EQ(standings(result)[0].rival, "MLP");
}

TEST(ReproductionReport, ManyCommandsAreCountedAndNotAllNamed) {
  ExperimentResult result = small_result();
  for (int i = 0; i < 9; ++i) {
    result.made_by.push_back(
        {fmt::format("ognn sweep {}", i), "0.1.0", "a", 3});
  }
  const std::string page = experiment_markdown(result, "");
  EXPECT_TRUE(contains(page, "ognn sweep 6   # 3 runs"));
  EXPECT_FALSE(contains(page, "ognn sweep 7"));
  EXPECT_TRUE(contains(page, "# 6 more runs by 2 other commands"));
}

TEST(ReproductionReport, WhatIsFarBelowThePaperIsListedWithItsReason) {
  ExperimentResult result = small_result();
  EXPECT_TRUE(shortfalls(result).empty());
  EXPECT_FALSE(contains(experiment_markdown(result, ""), "points below"));
  result.cells[0].published->mean = 88.6;
  result.cells[2].published->mean = 83.4;  // 2.4 above ours
  ASSERT_EQ(shortfalls(result).size(), 1u);
  const std::string plain = experiment_markdown(result, "");
  EXPECT_TRUE(contains(plain, "More than 2.5 points below the paper"));
  EXPECT_TRUE(contains(plain, "not known"));
  Commentary said;
  auto& columns = said.reasons["table2"]["Ordered GNN"];
  columns["*"] = "other seeds";
  EXPECT_TRUE(contains(experiment_markdown(result, "", said), "other seeds"));
  columns["texas"] = "few nodes";
  EXPECT_TRUE(contains(experiment_markdown(result, "", said), "few nodes"));
  EXPECT_TRUE(contains(experiment_text(result), "points below"));
  EXPECT_EQ(to_json(result).at("shortfalls")[0].at("row"), "Ordered GNN");
  result.quick = true;
  EXPECT_TRUE(shortfalls(result).empty());
}

TEST(ReproductionReport, ReasonsThatCannotBeReadAreAProblemOfThePage) {
  const TempDir dir;
  EXPECT_TRUE(read_commentary(dir.path()).reasons.empty());
  EXPECT_TRUE(read_commentary(dir.path()).remarks.empty());
  const auto refused = [&](const char* text) {
    write_text(dir / kReasonsFile, text);
    return error_of([&] { read_commentary(dir.path()); });
  };
  EXPECT_TRUE(contains(refused("{\"cut"), "is no JSON"));
  EXPECT_TRUE(contains(refused("[]"), "must be an object"));
  EXPECT_TRUE(contains(refused(R"({"tabel2": {}})"), "'table2'"));
  EXPECT_TRUE(contains(refused(R"({"table2": {"GCN": "x"}})"), "GCN"));
  EXPECT_TRUE(
      contains(refused(R"({"table2": {"GCN": {"texas": 3}}})"), "texas"));
  EXPECT_TRUE(contains(refused(R"({"remarks": ["x"]})"), "remarks"));
  EXPECT_TRUE(contains(refused(R"({"remarks": {"tabel2": []}})"), "'table2'"));
  EXPECT_TRUE(contains(refused(R"({"remarks": {"table2": "x"}})"),
                       "must be a list of texts, not string"));
  EXPECT_TRUE(contains(refused(R"({"remarks": {"table2": ["x", 3]}})"),
                       "must be a text, not number"));
  write_experiment(small_result(), dir.path());
  EXPECT_TRUE(contains(core::read_file(dir / "results.md"), kReasonsFile));
  EXPECT_EQ(refused(R"({"//": 1, "table2": {"GCN": {"*": "x"}}})"), "");
  EXPECT_EQ(read_commentary(dir.path()).reasons.at("table2").at("GCN").at("*"),
            "x");
}

TEST(ReproductionReport, RemarksStandBelowTheNotesOfTheirExperiment) {
  const TempDir dir;
  const std::string plain = experiment_markdown(small_result(), "");
  write_text(dir / kReasonsFile,
             R"({"remarks": {"//": 1, "table2": ["One.", "Two."],
                             "depth": ["Of another."]}})");
  write_experiment(small_result(), dir.path());
  const std::string page = core::read_file(dir / "results.md");
  EXPECT_TRUE(contains(page, "A note.\n\nOne.\n\nTwo.\n\n"));
  EXPECT_FALSE(contains(page, "Of another."));
  EXPECT_FALSE(contains(plain, "One."));
  EXPECT_EQ(
      core::read_file(dir / "table2/table.md"),
      experiment_markdown(small_result(), "", read_commentary(dir.path())));
}

TEST(ReproductionReport, ManyRowsHaveAPlotForEveryColumn) {
  ExperimentResult result = small_result();
  for (const char* row : {"A", "B", "C"}) {
    result.cells.push_back(finished_cell(row, "texas", {70, 71}));
  }
  const std::vector<NamedPlot> plots = experiment_plots(result);
  ASSERT_EQ(plots.size(), 2u);
  EXPECT_EQ(plots[0].file, "table2-texas.svg");
  EXPECT_EQ(plots[1].file, "table2-pubmed.svg");
}

TEST(ReproductionReport, MarkdownHasTheNumbersAndWhatTheyMean) {
  const std::string text = experiment_markdown(small_result(), "plots/");
  for (const char* part :
       {"## Table 2", "A note.", "86.00 ± 2.00", "86.22 ± 4.12", "-0.22",
        "inside two standard errors", "outside the noise", "| missing",
        "ind.pubmed.allx", "(plots/table2.svg)", "ognn reproduce table2   # 6",
        "code abc", "Against `measured`", "+2.49", "H2GCN*",
        "3 splits (0-2), seed 42 (texas)", "texas `0123456789ab`"}) {
    EXPECT_TRUE(contains(text, part)) << part;
  }
  EXPECT_EQ(text.find("QUICK"), std::string::npos);
}

TEST(ReproductionReport, AQuickResultIsNotJudged) {
  ExperimentResult result = small_result();
  result.quick = true;
  const std::string text = experiment_markdown(result, "");
  EXPECT_TRUE(contains(text, quick_label()));
  EXPECT_EQ(text.find("inside two"), std::string::npos);
  EXPECT_TRUE(contains(experiment_text(result), quick_label()));
  EXPECT_TRUE(contains(experiment_csv(result), quick_label()));
}

TEST(ReproductionReport, CsvHasOneLinePerCell) {
  const std::string csv = experiment_csv(small_result());
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 4);
  EXPECT_TRUE(contains(
      csv, "table2,no,texas,Ordered GNN,texas,table2/texas,done,%,3,86,2,"));
  EXPECT_TRUE(contains(csv, "missing,%,0,,,,90.15,0.38,,,,,missing"));
}

TEST(ReproductionReport, ComesFromResultFilesAlone) {
  const TempDir dir;
  write_text(dir / "runs" / "table2" / "results.json",
             to_json(small_result()).dump());
  ExperimentResult depth;
  depth.name = "depth";
  depth.title = "Accuracy over depth";
  depth.cells = {finished_cell("2", "cora", {88, 88.5})};
  write_text(dir / "runs" / "depth" / "results.json", to_json(depth).dump());
  EXPECT_TRUE(write_report(dir / "runs", dir / "docs" / "results.md").empty());
  const std::string page = core::read_file(dir / "docs" / "results.md");
  EXPECT_EQ(page, results_page(read_results(dir / "runs"), "results/"));
  EXPECT_LT(page.find("## Table 2"), page.find("## Accuracy over depth"));
  EXPECT_TRUE(contains(page, "(results/depth.svg)"));
  EXPECT_TRUE(contains(core::read_file(dir / "docs" / "results" / "table2.svg"),
                       "<svg"));
  EXPECT_TRUE(std::filesystem::exists(dir / "docs" / "results" / "depth.svg"));
}

// The page as it was read and approved. After a change that is meant, the file
// is written again by 'ognn reproduce report --from tests/lab/golden --out
// tests/lab/golden/results.md'; its plots are not kept.
TEST(ReproductionReport, IsTheApprovedPage) {
  const TempDir dir;
  EXPECT_TRUE(
      write_report(ORDERED_GNN_GOLDEN, dir / "docs" / "results.md").empty());
  EXPECT_EQ(core::read_file(dir / "docs" / "results.md"),
            core::read_file(std::filesystem::path(ORDERED_GNN_GOLDEN) /
                            "results.md"));
}

TEST(ReproductionReport, SaysWhichExperimentsHaveNoResults) {
  FolderResults results;
  EXPECT_TRUE(
      contains(results_page(results, ""), "No results yet of `table2`"));
  for (const std::string& name : experiment_names()) {
    ExperimentResult result;
    result.name = name;
    if (name != "modern") results.experiments.push_back(result);
  }
  EXPECT_TRUE(
      contains(results_page(results, ""), "No results yet of `modern`: `ognn"));
}

TEST(ReproductionReport, ABrokenFileIsReportedAndTheOthersUsed) {
  const TempDir dir;
  write_text(dir / "runs" / "table2" / "results.json",
             to_json(small_result()).dump());
  const std::string whole = to_json(small_result()).dump();
  write_text(dir / "runs" / "large" / "results.json",
             whole.substr(0, whole.size() / 2));
  const std::vector<std::string> problems =
      write_report(dir / "runs", dir / "page.md");
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_TRUE(contains(problems[0], "large/results.json"));
  const std::string page = core::read_file(dir / "page.md");
  EXPECT_TRUE(contains(page, "large/results.json"));
  EXPECT_TRUE(contains(page, "## Table 2"));
}

TEST(ReproductionReport, ResultsOfALaterVersionAreNamedAndNotUsed) {
  const TempDir dir;
  Json later = to_json(small_result());
  write_text(dir / "runs" / "table2" / "results.json", later.dump());
  later["experiment"] = "table9";
  write_text(dir / "runs" / "table9" / "results.json", later.dump());
  write_text(dir / "runs" / "large" / "results.json", later.dump());
  write_text(dir / "runs" / "notes" / "thoughts.txt", "x");
  const FolderResults results = read_results(dir / "runs");
  ASSERT_EQ(results.experiments.size(), 1u);
  EXPECT_EQ(results.experiments[0].name, "table2");
  ASSERT_EQ(results.problems.size(), 2u);
  for (const char* file : {"large/results.json", "table9/results.json"}) {
    const std::string& problem = results.problems[file[0] == 'l' ? 0 : 1];
    EXPECT_TRUE(contains(problem, file)) << problem;
    EXPECT_TRUE(contains(problem, "unknown experiment 'table9'")) << problem;
  }
  EXPECT_TRUE(contains(results_page(results, ""), "Not used: "));
}

TEST(ReproductionReport, WithoutResultsThereIsNoPage) {
  const TempDir dir;
  EXPECT_TRUE(
      contains(error_of([&] { write_report(dir.path(), dir / "page.md"); }),
               "has no results"));
  EXPECT_TRUE(
      contains(error_of([&] { write_report(dir / "none", dir / "page.md"); }),
               "no such folder"));
  EXPECT_FALSE(std::filesystem::exists(dir / "page.md"));
}

}  // namespace
}  // namespace ordered_gnn::lab
