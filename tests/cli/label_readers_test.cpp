// Models and post-processing that read training labels, through the commands.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/npy/npy.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

class LabelReaderCommands : public testing::Test {
 protected:
  std::string path(const std::string& name) { return (dir_ / name).string(); }

  nlohmann::json run_json(std::vector<std::string> arguments) {
    arguments.emplace_back("--json");
    const Outcome outcome = run_ognn(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }

  // The run of split 1, trained into `folder`.
  nlohmann::json trained(const std::string& folder,
                         std::vector<std::string> more) {
    for (const char* word : {"--splits", "1", "--quiet", "--out"}) {
      more.emplace_back(word);
    }
    more.push_back(path(folder));
    return run_json(tiny_train(more))["runs"][0];
  }

  std::string checkpoint(const std::string& folder) {
    return path(folder + "/split-1/model.safetensors");
  }

  TempDir dir_;
};

TEST_F(LabelReaderCommands, EvaluateTellsTheLabelsOfTheSplitTrainedOn) {
  for (const char* model : {"label_propagation", "unimp"}) {
    const auto run =
        trained(model, {"--model", model, "--heads", "2", "--epochs", "3"});
    const auto scores =
        run_json({"evaluate", "--checkpoint", checkpoint(model)});
    EXPECT_EQ(scores["split"], 1);
    EXPECT_EQ(scores["test_accuracy"], run["test_accuracy"]) << model;
    EXPECT_EQ(scores["val_accuracy"], run["val_accuracy"]) << model;
  }
}

TEST_F(LabelReaderCommands, CorrectSmoothIsRememberedAndCanBeTakenBack) {
  const auto run =
      trained("cs", {"--model", "mlp", "--correct-smooth", "--cs-hops", "5"});
  const auto& before = run["before_correct_smooth"];
  ASSERT_TRUE(before.is_object());
  const auto after = run_json({"evaluate", "--checkpoint", checkpoint("cs")});
  EXPECT_EQ(after["test_accuracy"], run["test_accuracy"]);
  const auto plain = run_json(
      {"evaluate", "--checkpoint", checkpoint("cs"), "--correct-smooth=false"});
  EXPECT_EQ(plain["test_accuracy"], before["test"]["accuracy"]);
  EXPECT_NE(plain["test"]["loss"], after["test"]["loss"]);
}

TEST_F(LabelReaderCommands, PredictSmoothsWhenItIsAskedTo) {
  trained("plain", {"--model", "mlp"});
  const auto logits = [&](std::vector<std::string> more) {
    std::vector<std::string> arguments = {"predict",           "--checkpoint",
                                          checkpoint("plain"), "--logits",
                                          path("l.npy"),       "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_ognn(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return core::read_npy(path("l.npy"));
  };
  EXPECT_FALSE(torch::equal(logits({}), logits({"--correct-smooth"})));
}

TEST_F(LabelReaderCommands, RatesThatLeaveNothingToFindOutAreRefused) {
  const Outcome outcome =
      run_ognn(tiny_train({"--model", "unimp", "--label-rate", "1"}));
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "label-rate")) << outcome.err;
}

}  // namespace
}  // namespace ordered_gnn
