// A folder of experiments: what it runs, keeps and refuses.
#include <torch/cuda.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

TEST_F(ReproductionTest, RunsEveryCellAndWritesItsFiles) {
  batch_.command = "ognn reproduce table2";
  const ExperimentResult result = run("table2");
  EXPECT_EQ(trained_, 5);
  ASSERT_EQ(result.cells.size(), 2u);
  EXPECT_EQ(columns_of(result), (std::vector<std::string>{"other", "tiny"}));
  EXPECT_EQ(result.cells[1].runs.size(), 3u);
  EXPECT_EQ(result.cells[1].row, "Ordered GNN");
  // A generated graph has no published number, whatever the recipe is called.
  EXPECT_FALSE(result.cells[1].published);
  EXPECT_EQ(experiment_result_from_json(Json::parse(out("table2/results.json")))
                .cells.size(),
            2u);
  for (const char* file :
       {"table2/table.md", "table2/table.tex", "table2/table.csv",
        "table2/table2.svg", "results.md", "reproduce.json", "runs.jsonl"}) {
    EXPECT_FALSE(out(file).empty()) << file;
  }
  EXPECT_TRUE(contains(out("results.md"), "ognn reproduce table2"));
  EXPECT_TRUE(contains(out("results.md"), "(table2/table2.svg)"));
}

TEST_F(ReproductionTest, RunsOnceWhatIsDone) {
  run("table2");
  const std::string table = out("table2/table.csv");
  run("table2");
  EXPECT_EQ(trained_, 0);
  EXPECT_EQ(out("table2/table.csv"), table);
}

TEST_F(ReproductionTest, NeedsNoGpuForRunsThatAreInTheLog) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a CUDA device";
  const ExperimentResult here = run("table2");
  std::istringstream lines(out("runs.jsonl"));
  std::string log, line;
  while (std::getline(lines, line)) {
    Json record = Json::parse(line);
    record["config"]["device"] = "cuda";
    log += record.dump() + "\n";
  }
  write_text(dir_ / "out" / "runs.jsonl", log);
  Json before = Json::parse(out("table2/results.json"));
  before["machine"] = "a machine with a GPU";
  write_text(dir_ / "out" / "table2" / "results.json", before.dump());
  batch_.execution.device = Device::cuda;
  const ExperimentResult there = run("table2");
  EXPECT_EQ(trained_, 0);
  EXPECT_EQ(there.machine, "a machine with a GPU");
  EXPECT_EQ(describe(there.cells[1]).mean, describe(here.cells[1]).mean);
  write_text(dir_ / "out" / "runs.jsonl", log.substr(log.find('\n') + 1));
  EXPECT_TRUE(contains(error_of([&] { run("table2"); }), "CUDA"));
}

// A kill leaves some of the lines, and perhaps a part of the next.
TEST_F(ReproductionTest, GoesOnAfterAnyCutWithTheSameTable) {
  run("table2");
  const std::string table = out("table2/table.csv");
  const std::string log = out("runs.jsonl");
  const size_t second = log.find('\n', log.find('\n') + 1) + 1;
  const size_t third = log.find('\n', second) + 1;
  for (const size_t cut :
       {size_t{0}, size_t{5}, second, second + 1, third - 1, third}) {
    write_text(dir_ / "out" / "runs.jsonl", log.substr(0, cut));
    const std::string kept = log.substr(0, cut);
    run("table2");
    EXPECT_EQ(out("table2/table.csv"), table) << cut;
    const auto whole = std::count(kept.begin(), kept.end(), '\n');
    // A line that lacks its newline alone is complete.
    EXPECT_EQ(trained_, 5 - whole - (cut == third - 1 ? 1 : 0)) << cut;
  }
}

TEST_F(ReproductionTest, BrokenLinesAreReportedAndTheirRunsRepeated) {
  run("table2");
  const std::string table = out("table2/table.csv");
  std::string log = out("runs.jsonl");
  const size_t second = log.find('\n') + 1;
  log.replace(second, 20, std::string(20, '#'));
  write_text(dir_ / "out" / "runs.jsonl", log);
  const ExperimentResult result = run("table2");
  EXPECT_EQ(trained_, 1);
  ASSERT_EQ(result.broken.size(), 1u);
  EXPECT_TRUE(contains(result.broken[0], "runs.jsonl:2"));
  EXPECT_EQ(out("table2/table.csv"), table);
  EXPECT_TRUE(contains(out("table2/table.md"), "runs.jsonl:2"));
}

TEST_F(ReproductionTest, ExperimentsShareTheirRuns) {
  recipe("tuned/tiny", tiny(3));
  run("table2");
  run("tuned");
  // Seed 42 was there, 43 and 44 were not.
  EXPECT_EQ(trained_, 6);
}

TEST_F(ReproductionTest, DataThatIsNotThereIsMissingWithTheReason) {
  recipe("table2/cora", {{"data", "cora"}, {"split-set", "geom-gcn"}});
  const ExperimentResult result = run("table2");
  const CellResult* const cell = find_cell(result, kOrderedGnn, "cora");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->status, CellStatus::missing);
  EXPECT_TRUE(contains(cell->reason, "ind.cora.allx"));
  EXPECT_TRUE(contains(cell->reason, "$OGNN_DATA"));
  EXPECT_TRUE(cell->runs.empty());
  EXPECT_TRUE(cell->published);
  for (const char* file : {"table2/table.md", "table2/table.csv",
                           "table2/results.json", "results.md"}) {
    EXPECT_TRUE(contains(out(file), "ind.cora.allx")) << file;
  }
  EXPECT_TRUE(contains(out("table2/table2.svg"), "missing"));
  const Json json = Json::parse(out("table2/results.json"));
  for (const Json& entry : json.at("cells")) {
    if (entry.at("column") == "cora") {
      EXPECT_TRUE(entry.at("mean").is_null());
      EXPECT_FALSE(entry.contains("difference"));
    }
  }
}

TEST_F(ReproductionTest, AFailedRunMakesItsCellFailed) {
  Json unfit = tiny(2);
  unfit["chunk"] = 5;
  recipe("table2/unfit", unfit);
  const ExperimentResult result = run("table2");
  const CellResult* const cell = find_cell(result, kOrderedGnn, "unfit");
  ASSERT_NE(cell, nullptr);
  EXPECT_EQ(cell->status, CellStatus::failed);
  EXPECT_TRUE(contains(cell->reason, "2 of 2 runs failed"));
  EXPECT_TRUE(cell->runs.empty());
  EXPECT_EQ(find_cell(result, kOrderedGnn, "tiny")->status, CellStatus::done);
  run("table2");
  EXPECT_EQ(trained_, 0);
  batch_.retry_failed = true;
  run("table2");
  EXPECT_EQ(trained_, 2);
}

TEST_F(ReproductionTest, AQuickRunSaysSoEverywhereAndIsKeptApart) {
  recipe("table2/tiny", [] {
    Json values = tiny(5);
    values["epochs"] = 70;
    return values;
  }());
  options_.quick = true;
  options_.datasets = {"tiny"};
  const ExperimentResult result = run("table2");
  ASSERT_EQ(result.cells.size(), 1u);
  EXPECT_EQ(result.cells[0].runs.size(), 3u);
  EXPECT_LE(result.cells[0].runs[0].epochs, kQuickEpochs);
  for (const char* file :
       {"table2/table.md", "table2/table.csv", "table2/results.json",
        "results.md", "table2/table2.svg"}) {
    EXPECT_TRUE(contains(out(file), "QUICK: ")) << file;
  }
  EXPECT_TRUE(contains(experiment_text(result), "QUICK: "));
  options_.quick = false;
  run("table2");
  EXPECT_EQ(trained_, 5);
}

TEST_F(ReproductionTest, AFolderOfSomethingElseIsNotTouched) {
  write_text(dir_ / "out" / "thesis.tex", "x");
  EXPECT_TRUE(contains(error_of([&] { run("table2"); }), "choose another"));
  EXPECT_FALSE(std::filesystem::exists(dir_ / "out" / "runs.jsonl"));
}

TEST_F(ReproductionTest, TwoAtATimeRefuseEachOther) {
  const Reproduction first(dir_ / "out", batch_);
  EXPECT_NE(error_of([&] { run("table2"); }), "");
}

}  // namespace
}  // namespace ordered_gnn::lab
