// Results of further runs, taken into those that are there.
#include "lab/reproduce/merge.h"

#include "core/io/file.h"
#include "lab/reproduce/report.h"
#include "lab/reproduce/support.h"

namespace ordered_gnn::lab {
namespace {

CellResult cell_of(const std::string& row, const std::string& column,
                   double score) {
  return finished_cell(row, column, {score});
}

TEST(MergedResults, FinishedCellsTakeThePlaceOfMissingOnes) {
  ExperimentResult result = result_of(
      {cell_of("GCN", "texas", 50), missing_cell("GCN", "pubmed", "no files"),
       cell_of("MLP", "texas", 60)},
      "ognn one");
  ExperimentResult more = result_of(
      {cell_of("GCN", "pubmed", 88), missing_cell("MLP", "texas", "no files"),
       cell_of("MLP", "pubmed", 87)},
      "ognn two");
  more.notes = {"A note.", "Another."};
  merge_result(more, result);
  ASSERT_EQ(result.cells.size(), 4u);
  EXPECT_EQ(result.cells[1].status, CellStatus::done);
  EXPECT_EQ(result.cells[1].runs.at(0).score, 88);
  EXPECT_EQ(result.cells[2].runs.at(0).score, 60);
  EXPECT_EQ(result.cells[3].column, "pubmed");
  EXPECT_EQ(result.made_by.size(), 2u);
  EXPECT_EQ(result.notes, (std::vector<std::string>{"A note.", "Another."}));
  EXPECT_EQ(result.machine, "a CPU, avx2");
  // Once more changes nothing.
  const Json once = to_json(result);
  merge_result(more, result);
  EXPECT_EQ(to_json(result), once);
}

TEST(MergedResults, GatesAreMergedByColumn) {
  ExperimentResult result = result_of({}, "ognn one"), more = result;
  result.gates = Json::parse(R"([{"column": "a", "hidden": 1}])");
  more.gates = Json::parse(
      R"([{"column": "a", "hidden": 2}, {"column": "b", "hidden": 3}])");
  merge_result(more, result);
  EXPECT_EQ(result.gates, more.gates);
}

TEST(MergedResults, ColumnsAndCellsOfAnotherDeviceAreNamed) {
  ExperimentResult result =
      result_of({cell_of("GCN", "texas", 50), cell_of("GCN", "cora", 88),
                 cell_of("MLP", "cora", 75)},
                "ognn one");
  ExperimentResult more = result_of(
      {cell_of("GCN", "texas", 51), missing_cell("GCN", "cora", "no files")},
      "ognn two");
  more.device = "cuda";
  more.machine = "a GPU";
  merge_result(more, result);
  ASSERT_TRUE(result.cells[0].made_on);
  EXPECT_EQ(result.cells[0].runs.at(0).score, 51);
  EXPECT_FALSE(result.cells[1].made_on);
  EXPECT_EQ(result.machine, "a CPU, avx2");
  EXPECT_TRUE(contains(experiment_markdown(result, {}),
                       ", texas on a GPU (cuda, fp32)"));
  EXPECT_EQ(to_json(experiment_result_from_json(to_json(result))),
            to_json(result));
  // Back on the device of the result they are like the others.
  ExperimentResult back = result_of({cell_of("GCN", "texas", 52)}, "ognn one");
  merge_result(back, result);
  EXPECT_FALSE(result.cells[0].made_on);

  // One row of a column: it is named, and so is what compares the two.
  CellResult one_row = cell_of("GCN", "cora", 89);
  one_row.against = "MLP";
  more.cells = {one_row};
  merge_result(more, result);
  EXPECT_TRUE(contains(experiment_markdown(result, {}),
                       ", GCN (cora) on a GPU (cuda, fp32)"));
  EXPECT_TRUE(contains(paired_table(result).markdown(), "two devices"));
}

TEST(MergedResults, TimesAreOfOneDevice) {
  ExperimentResult result = result_of({}, "ognn one");
  result.unit = "ms";
  ExperimentResult more = result;
  more.device = "cuda";
  EXPECT_TRUE(
      contains(error_of([&] { merge_result(more, result); }), "device"));
}

TEST(MergedResults, WhatDoesNotGoTogetherIsRefused) {
  const ExperimentResult result = result_of({}, "ognn one");
  const auto refused = [&](const char* part, auto change) {
    ExperimentResult more = result, into = result;
    change(more);
    EXPECT_TRUE(contains(error_of([&] { merge_result(more, into); }), part))
        << part;
  };
  refused("experiment", [](ExperimentResult& r) { r.name = "depth"; });
  refused("arithmetic", [](ExperimentResult& r) { r.math = "bf16"; });
  refused("unit", [](ExperimentResult& r) { r.unit = "ms"; });
  refused("quick", [](ExperimentResult& r) { r.quick = true; });
}

TEST(MergedResults, AFolderIsTakenIntoAnother) {
  const TempDir dir;
  write_result(
      result_of({missing_cell("GCN", "pubmed", "no files")}, "ognn one"),
      dir / "docs");
  write_result(result_of({cell_of("GCN", "pubmed", 88)}, "ognn two"),
               dir / "more");
  ExperimentResult other = result_of({cell_of("8", "cora", 70)}, "ognn two");
  other.name = "depth";
  write_result(other, dir / "more");
  EXPECT_TRUE(merge_results(dir / "more", dir / "docs").empty());
  const FolderResults merged = read_results(dir / "docs");
  ASSERT_EQ(merged.experiments.size(), 2u);
  EXPECT_EQ(merged.experiments[0].cells.at(0).runs.at(0).score, 88);
  EXPECT_EQ(merged.experiments[1].name, "depth");
  EXPECT_TRUE(contains(
      error_of([&] { merge_results(dir / "none", dir / "docs"); }), "none"));
  // Nothing is written when one of them does not fit.
  ExperimentResult narrow =
      result_of({cell_of("GCN", "pubmed", 1)}, "ognn three");
  narrow.math = "bf16";
  write_result(narrow, dir / "more");
  EXPECT_TRUE(
      contains(error_of([&] { merge_results(dir / "more", dir / "docs"); }),
               "arithmetic"));
  EXPECT_EQ(read_results(dir / "docs").experiments[0].cells[0].runs[0].score,
            88);
}

}  // namespace
}  // namespace ordered_gnn::lab
