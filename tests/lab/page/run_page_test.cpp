#include "lab/page/run_page.h"

#include <gtest/gtest.h>

#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/options.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kParallel = R"({
  "objective": "val_accuracy_mean", "dataset": "texas",
  "dimensions": [
    {"name": "lr", "scale": "log", "values": [0.001, 0.1]},
    {"name": "norm", "scale": "category", "values": ["layer", "none"]}],
  "lines": [
    {"trial": 0, "values": [0.01, "layer"], "objective": 0.5, "rung": 0},
    {"trial": 1, "values": [0.1, "none"], "objective": null, "rung": 0},
    {"trial": 2, "values": [0.001, "none"], "objective": 0.75, "rung": 0}]})";

constexpr const char* kCompare = R"({
  "dataset": "texas", "metric": "accuracy", "command": "ognn compare ...",
  "conclusion": "gcn is best; the difference is chance.",
  "models": [
    {"model": "gcn", "place": "best", "rank": 1, "n": 2, "test_mean": 0.8,
     "test_se": 0.01, "seconds_per_run": 1.5, "parameters": 100,
     "peak_bytes": 2000000, "config": {"layers": 2},
     "runs": [{"split": 0, "seed": 42, "test": 0.79, "val": 0.8, "epochs": 9,
               "seconds": 1},
              {"split": 1, "seed": 42, "test": 0.81, "val": null}]},
    {"model": "mlp", "place": "failed", "config": {}, "runs": [],
     "error": "it diverged <here>"}]})";

std::string page_of(const std::filesystem::path& folder) {
  return html_page(run_page(folder));
}

RunOptions tiny_options() {
  RunOptions options;
  options.data.data =
      "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3";
  options.splits = "0-1";
  options.network.layers = 2;
  options.network.hidden = 16;
  options.train.epochs = 3;
  return options;
}

TEST(RunPage, OfTrainingHasSplitsCurvesAndTheBestModel) {
  const TempDir folder;
  RunOptions options = tiny_options();
  const NodeDataset data = load_for_training(options);
  SplitsHooks hooks;
  hooks.folder = folder / "run";
  run_splits(data, options, hooks);
  EXPECT_EQ(run_kind(folder / "run"), RunKind::train);
  const std::string page = page_of(folder / "run");
  for (const char* part :
       {"id=\"splits\"", "id=\"figure-accuracy-by-split\"",
        "id=\"figure-curves-by-split\"", "id=\"figure-curve-loss\"",
        "id=\"best-split\"", "id=\"node-search\"", "id=\"settings\""}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
  options.splits = "0";
  options.train.metric = Metric::log_loss;
  hooks.folder = folder / "one";
  run_splits(data, options, hooks);
  const Page one = run_page(folder / "one");
  EXPECT_TRUE(one.sections[0].figures.empty());
  EXPECT_EQ(one.sections[0].facts[0].name, "test log_loss");
  EXPECT_EQ(one.sections[0].facts[0].value.find('%'), std::string::npos);
  // Without its checkpoints the rest is still there, and why is said.
  for (const char* split : {"split-0", "split-1"}) {
    std::filesystem::remove(folder / "run" / split / "model.safetensors");
  }
  const std::string rest = page_of(folder / "run");
  EXPECT_NE(rest.find("The model is not explained here: "), std::string::npos);
  EXPECT_NE(rest.find("id=\"figure-curves-by-split\""), std::string::npos);
  EXPECT_EQ(rest.find("id=\"node-search\""), std::string::npos);
}

TEST(RunPage, OfASweepRanksTrials) {
  const TempDir folder;
  write_text(folder / "sweep.json", "{}");
  write_text(folder / "parallel.json", kParallel);
  EXPECT_EQ(run_kind(folder.path()), RunKind::sweep);
  const Page page = run_page(folder.path());
  const auto& rows = page.sections[0].tables[0].table.rows();
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0],
            (std::vector<std::string>{"2", "0.001", "none", "75.00", "0"}));
  EXPECT_EQ(rows[2][3], "-");
  EXPECT_TRUE(contains(html_page(page), "No trial has ended well."));
  write_text(folder / "best.json",
             R"({"//objective": "of all", "lr": 0.001, "norm": "none"})");
  const std::string html = page_of(folder.path());
  EXPECT_NE(html.find("ognn train --config"), std::string::npos);
  EXPECT_NE(html.find("id=\"figure-trials\""), std::string::npos);
}

TEST(RunPage, OfAComparisonShowsModelsRunsAndFailures) {
  const TempDir folder;
  write_text(folder / "compare.json", kCompare);
  EXPECT_EQ(run_kind(folder.path()), RunKind::comparison);
  const Page page = run_page(folder.path());
  EXPECT_EQ(page.sections[0].tables[0].table.rows()[0][3], "80.00");
  EXPECT_EQ(page.sections[0].tables[1].table.rows().size(), 2u);
  const std::string html = html_page(page);
  EXPECT_NE(html.find("gcn is best; the difference is chance."),
            std::string::npos);
  EXPECT_NE(html.find("mlp failed: it diverged &lt;here&gt;"),
            std::string::npos);
}

TEST(RunPage, SettingsThatDifferFromTheDefaultsComeFirst) {
  const TempDir folder;
  std::string text = kCompare;
  text.replace(text.find("{\"layers\": 2}"), 13,
               R"({"hidden": 256, "layers": 3, "//": "x", "model": "gat"})");
  write_text(folder / "compare.json", text);
  const Page page = run_page(folder.path());
  const auto& rows = page.sections[1].tables[0].table.rows();
  ASSERT_EQ(rows.size(), 3u);
  const Json defaults = to_json(default_options("gat"));
  EXPECT_EQ(rows[0], (std::vector<std::string>{
                         "layers", "3",
                         ordered_gnn::value_text(defaults.at("layers"))}));
  EXPECT_EQ(rows[1], (std::vector<std::string>{
                         "hidden", "256",
                         ordered_gnn::value_text(defaults.at("hidden"))}));
  EXPECT_EQ(rows[2], (std::vector<std::string>{"model", "gat", ""}));
}

TEST(RunPage, OfSeveralDatasetsHasOneTableAndASectionEach) {
  const TempDir folder;
  std::string cora = kCompare;
  cora.replace(cora.find("texas"), 5, "cora");
  write_text(folder / "compare.json",
             std::string("{\"datasets\": [") + kCompare + "," + cora + "]}");
  const Page page = run_page(folder.path());
  const ReportTable& table = page.sections[0].tables[0].table;
  EXPECT_EQ(table.header()[2], "cora (accuracy, %)");
  EXPECT_EQ(table.rows()[0],
            (std::vector<std::string>{"gcn", "80.00 ± 1.00 best",
                                      "80.00 ± 1.00 best"}));
  EXPECT_EQ(table.rows()[1][1], "failed");
  ASSERT_EQ(page.sections.size(), 5u);
  EXPECT_EQ(page.sections[3].title, "cora");
  EXPECT_TRUE(contains(html_page(page), "id=\"figure-data-1-models\""));
}

TEST(RunPage, OfAReproductionHasEveryExperiment) {
  const std::filesystem::path golden = ORDERED_GNN_GOLDEN;
  EXPECT_EQ(run_kind(golden), RunKind::reproduction);
  const std::string page = page_of(golden);
  for (const char* part : {"id=\"table2\"", "id=\"depth\"", "id=\"runtime\"",
                           "id=\"figure-table2\"", "Ours and the paper"}) {
    EXPECT_NE(page.find(part), std::string::npos) << part;
  }
}

TEST(RunPage, OtherFoldersAreErrorsThatSayWhatWasLookedFor) {
  const TempDir folder;
  const auto error = [&](const std::filesystem::path& path) {
    return error_of([&] { run_page(path); });
  };
  EXPECT_TRUE(contains(error(folder / "none"), "there is no such folder"));
  const std::string empty = error(folder.path());
  for (const char* name :
       {"summary.json", "sweep.json", "compare.json", "results.json"}) {
    EXPECT_TRUE(contains(empty, name));
  }
}

TEST(RunPage, DamagedFilesAreNamed) {
  const TempDir folder;
  const auto error = [&] { return error_of([&] { run_page(folder.path()); }); };
  write_text(folder / "summary.json", "{\"runs\": [");
  EXPECT_TRUE(contains(error(), "summary.json: is no JSON"));
  write_text(folder / "summary.json", "{\"runs\": []}");
  EXPECT_TRUE(contains(error(), "summary.json: has no runs"));
  write_text(folder / "summary.json", "{\"runs\": [{\"split\": \"x\"}]}");
  EXPECT_TRUE(contains(error(), "summary.json: cannot be used"));
  write_text(folder / "sweep.json", "{}");
  EXPECT_TRUE(contains(error(), "parallel.json"));
  write_text(folder / "parallel.json", "{\"lines\": 3}");
  EXPECT_TRUE(contains(error(), "parallel.json: cannot be used"));
  write_text(folder / "compare.json", "{\"models\": [{}], \"dataset\": \"x\"}");
  EXPECT_TRUE(contains(error(), "compare.json: cannot be used"));
}

}  // namespace
}  // namespace ordered_gnn::lab
