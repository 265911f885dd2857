// Files of a hundred thousand levels and numbers that no run has, through the
// readers of every kind of file.
#include <gtest/gtest.h>

#include "lab/compare/memory.h"
#include "lab/page/run_page.h"
#include "lab/reproduce/report.h"
#include "lab/runs/curves.h"
#include "lab/runs/output_folder.h"
#include "lab/runs/recipe.h"
#include "lab/runs/recipe_writer.h"
#include "lab/runs/run_log.h"
#include "lab/runs/run_splits.h"
#include "lab/sweep/spec.h"
#include "lab/sweep/sweep.h"
#include "support/datasets.h"
#include "support/deep_json.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

class DamagedFiles : public testing::Test {
 protected:
  // The message of `read` for the file.
  template <typename Read>
  std::string refused(const std::string& name, const std::string& text,
                      const Read& read) {
    write_text(dir_ / name, text);
    const std::string message = error_of(read);
    EXPECT_TRUE(contains(message, name));
    return message;
  }

  TempDir dir_;
};

TEST_F(DamagedFiles, DeepRecipesAndSweepsAreRefused) {
  for (const std::string& text : {deep_json(), deep_object("layers")}) {
    EXPECT_TRUE(
        contains(refused("a.json", text, [&] { read_recipe(dir_ / "a.json"); }),
                 "is nested deeper than 64 levels (column "));
    EXPECT_TRUE(
        contains(refused("s.json", text, [&] { read_sweep(dir_ / "s.json"); }),
                 "is nested deeper than 64 levels"));
    EXPECT_TRUE(contains(
        refused("gcn.json", text,
                [&] { write_recipe(dir_ / "gcn/one.json", Json::object()); }),
        "is nested deeper than 64 levels"));
  }
  EXPECT_TRUE(contains(refused("a.json", "{\"lr\": 1, // why\n  \"layers\": }",
                               [&] { read_recipe(dir_ / "a.json"); }),
                       "(line 2, column 13)"));
}

TEST_F(DamagedFiles, NumbersOfRecipesAreNotConverted) {
  for (const char* text :
       {R"({"layers": 1e300})", R"({"layers": 2.5})", R"({"seed": -1})",
        R"({"seed": 9223372036854775808})", R"({"epochs": 1e18})"}) {
    const std::string message = error_of([&] {
      write_text(dir_ / "a.json", text);
      run_options_from_json(read_recipe(dir_ / "a.json"));
    });
    EXPECT_TRUE(contains(message, "takes an integer")) << text;
  }
}

TEST_F(DamagedFiles, AFolderWithADeepMarkerIsNotOurs) {
  for (const std::string& text : {deep_json(), deep_object("format")}) {
    write_text(dir_ / "run.json", text);
    EXPECT_TRUE(folder_fact(dir_.path(), "config").is_null());
    EXPECT_TRUE(contains(error_of([&] {
                           OutputFolder(dir_.path(), ExistingOutput::resume,
                                        Json::object(), Json::object());
                         }),
                         "was not written by this program"));
  }
}

TEST_F(DamagedFiles, DeepFilesOfPagesAreRefused) {
  const auto page = [&] { run_page(dir_.path()); };
  const std::string deep = "is nested deeper than 64 levels";
  EXPECT_TRUE(contains(refused("summary.json", deep_json(), page), deep));
  EXPECT_TRUE(
      contains(refused("summary.json", deep_object("runs"), page), deep));
  write_text(dir_ / "sweep.json", "{}");
  EXPECT_TRUE(contains(refused("parallel.json", deep_json(), page), deep));
  write_text(dir_ / "parallel.json", R"({"lines": [], "dimensions": []})");
  EXPECT_TRUE(contains(refused("best.json", deep_json(), page), deep));
  EXPECT_TRUE(contains(refused("compare.json", deep_json(), page), deep));
}

TEST_F(DamagedFiles, SplitsOfASummaryAreWholeNumbers) {
  for (const char* split : {"-1", "1e300", "9223372036854775808", "\"x\""}) {
    const std::string text = fmt::format(
        R"({{"model": "m", "dataset": "d", "runs": [{{"split": {}, "seed": 1,
            "epochs": 2, "best_epoch": 1}}]}})",
        split);
    EXPECT_TRUE(
        contains(refused("summary.json", text, [&] { run_page(dir_.path()); }),
                 "summary.json: 'split' must be a whole number"));
  }
}

TEST_F(DamagedFiles, ParametersOfAComparisonAreWholeNumbers) {
  for (const char* parameters :
       {"18446744073709551615", "-1", "1e300", "2.5"}) {
    const std::string text = fmt::format(
        R"({{"dataset": "d", "models": [{{"model": "m", "place": "best",
            "parameters": {}, "runs": []}}]}})",
        parameters);
    EXPECT_TRUE(
        contains(refused("compare.json", text, [&] { run_page(dir_.path()); }),
                 "compare.json: 'parameters' must be a whole number"));
  }
}

TEST_F(DamagedFiles, DeepLinesAreLeftOut) {
  write_text(dir_ / "runs.jsonl", deep_json() + "\n" + deep_object("key"));
  std::vector<std::string> broken;
  EXPECT_TRUE(read_run_log(dir_ / "runs.jsonl", &broken).empty());
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_TRUE(contains(broken[1], "runs.jsonl:2: is nested deeper"));
  write_text(dir_ / "metrics.jsonl",
             deep_json() + "\n" + deep_object("epoch") + "\n{}\n");
  broken.clear();
  EXPECT_TRUE(read_metrics(dir_ / "metrics.jsonl", &broken).empty());
  ASSERT_EQ(broken.size(), 2u);
  EXPECT_TRUE(contains(broken[1], "metrics.jsonl:2: expected"));
}

TEST_F(DamagedFiles, NumbersOfLoggedRunsAreNotConverted) {
  RunLog log(dir_ / "log");
  LoggedRun run;
  run.options = tiny_run();
  run.fingerprint = "f";
  run.key = run_key(run.options, 0, run.fingerprint);
  run.result = RunResult{};
  const Json good = to_json(run);
  ASSERT_EQ(logged_run_from_json(good).split, 0);
  for (const Json& value : {Json(-1), Json(1e300), Json(uint64_t{1} << 63)}) {
    Json outer = good;
    outer["split"] = value;
    Json inner = good;
    inner["result"]["epochs"] = value;
    for (const Json& json : {outer, inner}) {
      EXPECT_TRUE(contains(error_of([&] { logged_run_from_json(json); }),
                           "must be a whole number"));
    }
  }
  Json negative = good;
  negative["seconds"] = -1;
  EXPECT_TRUE(contains(error_of([&] { logged_run_from_json(negative); }),
                       "'seconds' must be a number of at least 0"));
}

TEST_F(DamagedFiles, DeepMeasurementsAreMadeAgain) {
  for (const std::string& text :
       {deep_json(), deep_object("k"), std::string(R"({"k": 1e300})")}) {
    write_text(dir_ / "memory.json", text);
    EXPECT_NO_THROW(MemoryBook(dir_.path()));
  }
}

TEST_F(DamagedFiles, DeepResultsAndReasonsAreProblemsOfThePage) {
  write_text(dir_ / "table2/results.json", deep_json());
  write_text(dir_ / kReasonsFile, deep_object("table2"));
  const FolderResults results = read_results(dir_.path());
  EXPECT_TRUE(results.experiments.empty());
  ASSERT_EQ(results.problems.size(), 2u);
  EXPECT_TRUE(contains(results.problems[0], "results.json: is nested deeper"));
  EXPECT_TRUE(contains(results.problems[1], "is nested deeper"));
}

TEST_F(DamagedFiles, ADamagedLineDoesNotBlockAFinishedRun) {
  RunOptions options = tiny_run();
  options.splits = "0";
  SplitsHooks hooks;
  hooks.folder = dir_ / "run";
  const NodeDataset data = load_for_training(options);
  run_splits(data, options, hooks);
  const std::filesystem::path file = dir_ / "run/split-0/metrics.jsonl";
  std::string text = core::read_file(file);
  text[text.find('\n') + 5] = '\x07';
  write_text(file, text);
  hooks.existing = ExistingOutput::resume;
  EXPECT_EQ(run_splits(data, options, hooks).runs.size(), 1u);
  const std::vector<std::string> broken = write_curves(hooks.folder);
  ASSERT_EQ(broken.size(), 1u);
  EXPECT_TRUE(contains(broken[0], "metrics.jsonl:2: expected a JSON object"));
  const Page page = run_page(hooks.folder);
  EXPECT_EQ(page.sections[0].paragraphs,
            std::vector<std::string>{"Left out: " + broken[0]});
}

}  // namespace
}  // namespace ordered_gnn::lab
