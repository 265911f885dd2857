// Scores by class, classes that are matched by name, calibration.
#include "cli/decisions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "core/io/file.h"
#include "data/formats/csv/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "support/current_folder.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

// The nodes of two classes; these have other numbers than in the training.
void write_two_classes(const std::filesystem::path& folder) {
  RawDataset raw = four_classes();
  const at::Tensor labels = raw.labels.clone();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    const int64_t label = raw.labels[v].item<int64_t>();
    labels[v] = label == 3 ? 0 : label == 1 ? 1 : -1;
  }
  raw.labels = labels;
  raw.class_names = {"date", "beech"};
  raw.num_classes = 2;
  raw.splits.clear();
  data::write_csv_dataset(folder, raw);
}

TEST_F(Decisions, ClassesAreMatchedByNameWhenThereAreFewer) {
  write_two_classes(dir_ / "two");
  const Json all = json_of("evaluate", {"--on", "labelled"});
  const Json two = json_of("evaluate", {"--data", path("two")});
  EXPECT_EQ(two.at("on"), "labelled");
  EXPECT_TRUE(two.at("split").is_null());
  EXPECT_EQ(two.at("classes"), Json({"ash", "beech", "cedar", "date"}));
  for (const int c : {1, 3}) {
    EXPECT_EQ(two.at("labelled").at("confusion").at(c),
              all.at("labelled").at("confusion").at(c));
    EXPECT_EQ(two.at("labelled").at("classes").at(c).at("recall"),
              all.at("labelled").at("classes").at(c).at("recall"));
  }
  EXPECT_GT(two.at("labelled_accuracy").get<double>(), 0.7);
  const Json explained = json_of("explain", {"--data", path("two")});
  EXPECT_EQ(explained.at("parts").back().at("accuracy"),
            two.at("labelled_accuracy"));
  EXPECT_EQ(explained.at("by_class").at(3).at("name"), "date");
  EXPECT_EQ(explained.at("by_class").at(3).at("nodes"),
            all.at("labelled").at("classes").at(3).at("support"));
}

TEST_F(Decisions, AnUnknownClassIsAnErrorOrLeftOutAndCounted) {
  RawDataset raw = four_classes();
  raw.class_names[2] = "cypress";
  data::write_npz_dataset(dir_ / "new.npz", raw);
  for (const char* const command : {"evaluate", "explain"}) {
    const Outcome refused = call(command, {"--data", path("new.npz")});
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(contains(refused.err, "is of class 'cypress'"));
    EXPECT_TRUE(contains(refused.err, "node 'tree-"));
  }
  const Words ignore = {"--data", path("new.npz"), "--unknown-classes",
                        "ignore"};
  const Outcome told = call("evaluate", ignore);
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(contains(told.err,
                       "nodes of 'four' are of classes that the "
                       "model does not know (cypress)"));
  const Json left = json_of("evaluate", ignore);
  const Json all = json_of("evaluate", {});
  EXPECT_EQ(left.at("test").at("classes").at(2).at("support"), 0);
  EXPECT_EQ(left.at("test").at("confusion").at(0),
            all.at("test").at("confusion").at(0));
  EXPECT_EQ(call("evaluate", {"--unknown-classes", "ignor"}).status, 2);
}

TEST_F(Decisions, EvaluateSaysHowEveryClassFaresAndHowSureTheModelIs) {
  const Json json = json_of("evaluate", {});
  for (const char* const part : {"train", "val", "test"}) {
    const Json& scores = json.at(part);
    int64_t support = 0, hits = 0;
    for (int c = 0; c < 4; ++c) {
      const Json& one = scores.at("classes").at(c);
      int64_t row = 0, column = 0;
      for (int d = 0; d < 4; ++d) {
        row += scores.at("confusion").at(c).at(d).get<int64_t>();
        column += scores.at("confusion").at(d).at(c).get<int64_t>();
      }
      EXPECT_EQ(one.at("support"), row);
      EXPECT_EQ(one.at("predicted"), column);
      EXPECT_EQ(one.at("hits"), scores.at("confusion").at(c).at(c));
      support += row;
      hits += one.at("hits").get<int64_t>();
    }
    EXPECT_EQ(scores.at("labelled"), support);
    EXPECT_DOUBLE_EQ(scores.at("accuracy").get<double>(),
                     static_cast<double>(hits) / static_cast<double>(support));
    double error = 0;
    for (const Json& bin : scores.at("calibration")) {
      if (bin.at("nodes") == 0) continue;
      error += bin.at("nodes").get<double>() *
               std::abs(bin.at("accuracy").get<double>() -
                        bin.at("confidence").get<double>());
    }
    EXPECT_NEAR(scores.at("calibration_error").get<double>(),
                error / static_cast<double>(support), 1e-12);
    EXPECT_GT(scores.at("brier").get<double>(), 0);
    EXPECT_FALSE(scores.contains("calibration_error_before"));
  }
  const Outcome text = call("evaluate", {});
  for (const char* const part :
       {"ordered_gnn on four, split 0", "macro F1", "test: every class",
        "precision", "beech", "nodes by label (lines)",
        "expected calibration error", "Brier score"}) {
    EXPECT_TRUE(contains(text.out, part));
  }
  EXPECT_TRUE(contains(call("evaluate", {"--on", "labelled"}).out,
                       "those it was trained on among them"));
  EXPECT_EQ(call("evaluate", {"--on", "everything"}).status, 2);
  EXPECT_EQ(call("evaluate", {"--split", "7"}).status, 2);
}

TEST_F(Decisions, DataWithoutALabelCannotBeScored) {
  RawDataset raw = four_classes();
  raw.labels.fill_(-1);
  raw.splits.clear();
  data::write_npz_dataset(dir_ / "bare.npz", raw);
  const Outcome outcome = call("evaluate", {"--data", path("bare.npz")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "has no labelled node"));
}

TEST_F(Decisions, CalibrationLowersTheLossOfValidationAndKeepsTheScores) {
  const Json plain = json_of("evaluate", {});
  const Json json = json_of("evaluate", {"--calibrate"});
  const Json& fit = json.at("calibration");
  EXPECT_TRUE(fit.at("is_fitted"));
  EXPECT_NEAR(fit.at("loss_before").get<double>(),
              plain.at("val").at("loss").get<double>(), 1e-5);
  EXPECT_NEAR(fit.at("loss_after").get<double>(),
              json.at("val").at("loss").get<double>(), 1e-9);
  EXPECT_LT(fit.at("loss_after"), fit.at("loss_before"));
  for (const char* const part : {"train", "val", "test"}) {
    EXPECT_EQ(json.at(part).at("accuracy"), plain.at(part).at("accuracy"));
    EXPECT_EQ(json.at(part).at("confusion"), plain.at(part).at("confusion"));
    EXPECT_EQ(json.at(part).at("calibration_error_before"),
              plain.at(part).at("calibration_error"));
  }
  EXPECT_TRUE(
      contains(call("evaluate", {"--calibrate"}).out, "before calibration"));
  // On other data the temperature is the same.
  write_two_classes(dir_ / "two");
  EXPECT_EQ(json_of("evaluate", {"--data", path("two"), "--calibrate"})
                .at("calibration"),
            fit);
  EXPECT_EQ(
      json_of("predict", {"--uncertain", "1", "--calibrate"}).at("calibration"),
      fit);
}

TEST_F(Decisions, CalibrationNeedsTheDataOfTheTraining) {
  const std::filesystem::path away = dir_ / "away";
  std::filesystem::create_directories(away);
  std::filesystem::copy_file(*shared_ / "four.npz", away / "g.npz");
  const CurrentFolder folder(away);
  ASSERT_EQ(run_ognn({"train", "--data", "g.npz", "--layers", "1", "--epochs",
                      "2", "--quiet", "--out", "run"})
                .status,
            0);
  std::filesystem::rename(away / "g.npz", away / "h.npz");
  const Outcome outcome = run_ognn(
      {"evaluate", "--checkpoint", "run/split-0/model.safetensors", "--data",
       "h.npz", "--split-set", "random:50/25/25", "--calibrate"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "validation nodes of the training"));
  EXPECT_TRUE(contains(outcome.err, "g.npz: nothing is there"));
}

TEST_F(Decisions, AnotherFolderFindsTheData) {
  const std::filesystem::path project = dir_ / "project";
  std::filesystem::create_directories(project / "data");
  std::filesystem::copy_file(*shared_ / "four.npz", project / "data/g.npz");
  std::string typed;
  {
    const CurrentFolder folder(project);
    ASSERT_EQ(run_ognn({"train", "--data", "data/g.npz", "--layers", "1",
                        "--epochs", "2", "--quiet", "--out", "run"})
                  .status,
              0);
    typed = core::read_file("run/run.json", 1 << 24);
  }
  EXPECT_TRUE(contains(typed, "\"data/g.npz\""));
  const Outcome outcome = run_ognn(
      {"evaluate", "--checkpoint",
       (project / "run/split-0/model.safetensors").string(), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_ognn({"report", (project / "run").string(), "--quiet"}).status,
            0);
  EXPECT_FALSE(contains(core::read_file(project / "run/report.html", 1 << 26),
                        "no such file"));
}

}  // namespace
}  // namespace ordered_gnn
