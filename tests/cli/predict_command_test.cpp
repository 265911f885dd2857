#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/npy/npy.h"
#include "core/io/npy/npz.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class PredictCommand : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome trained = run_ognn(tiny_train({"--out", path("run")}));
    ASSERT_EQ(trained.status, 0) << trained.err;
    checkpoint_ = path("run/split-0/model.safetensors");
  }
  std::string path(const std::string& name) { return (dir_ / name).string(); }

  TempDir dir_;
  std::string checkpoint_;
};

TEST_F(PredictCommand, WritesNodeLabelAndProbabilities) {
  const Outcome outcome =
      run_ognn({"predict", "--checkpoint", checkpoint_, "--out", path("p.csv"),
                "--logits", path("l.npy"), "--embeddings", path("e.npy"),
                "--gates", path("g.npz")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  std::ifstream csv(path("p.csv"));
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(line, "node,label,prob_0,prob_1,prob_2");
  const at::Tensor logits = core::read_npy(path("l.npy"));
  ASSERT_EQ(logits.sizes(), at::IntArrayRef({60, 3}));
  const at::Tensor probabilities = logits.softmax(1);
  for (int64_t node = 0; node < 60; ++node) {
    ASSERT_TRUE(std::getline(csv, line));
    int64_t id = -1, label = -1;
    float p[3];
    ASSERT_EQ(std::sscanf(line.c_str(), "%ld,%ld,%f,%f,%f", &id, &label, &p[0],
                          &p[1], &p[2]),
              5);
    EXPECT_EQ(id, node);
    EXPECT_EQ(label, logits[node].argmax().item<int64_t>());
    for (int c = 0; c < 3; ++c) {
      EXPECT_NEAR(p[c], probabilities[node][c].item<float>(), 1e-5f);
    }
  }
  EXPECT_EQ(core::read_npy(path("e.npy")).sizes(), at::IntArrayRef({60, 16}));
  const core::NpzReader gates(path("g.npz"));
  EXPECT_EQ(gates.names(), (std::vector<std::string>{"layer_0", "layer_1"}));
  EXPECT_EQ(gates.read("layer_1").sizes(), at::IntArrayRef({60, 4}));
}

// Batches are computed in float; what they made answers in any arithmetic.
TEST_F(PredictCommand, HowAModelWasTrainedDoesNotBindItsAnswers) {
  const Outcome trained = run_ognn(
      tiny_train({"--batch", "neighbors:16:3,3", "--out", path("sampled")}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Outcome outcome = run_ognn({"predict", "--checkpoint",
                                    path("sampled/split-0/model.safetensors"),
                                    "--math", "bf16", "--out", path("p.csv")});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(PredictCommand, SeveralModelsAnswerTogether) {
  ASSERT_EQ(run_ognn(tiny_train({"--seed", "7", "--out", path("b")})).status,
            0);
  const std::string other = path("b/split-0/model.safetensors");
  const auto logits = [&](const std::vector<std::string>& checkpoints) {
    std::vector<std::string> call = {"predict", "--checkpoint"};
    call.insert(call.end(), checkpoints.begin(), checkpoints.end());
    call.insert(call.end(), {"--logits", path("l.npy"), "--json"});
    const Outcome outcome = run_ognn(call);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    const Json json = Json::parse(outcome.out);
    EXPECT_EQ(json.contains("ensemble"), checkpoints.size() > 1);
    if (checkpoints.size() > 1) {
      EXPECT_EQ(json.at("model"), "ensemble of 2 (ordered_gnn)");
      EXPECT_EQ(json.at("ensemble").at(1).at("checkpoint"), other);
      EXPECT_EQ(json.at("ensemble").at(1).at("seed"), 7);
    }
    return core::read_npy(path("l.npy"));
  };
  const at::Tensor mean =
      (logits({checkpoint_}).softmax(1) + logits({other}).softmax(1)) / 2;
  EXPECT_TRUE(torch::allclose(logits({checkpoint_, other}).softmax(1), mean,
                              1e-5, 1e-6));
  const Outcome gates = run_ognn({"predict", "--checkpoint", checkpoint_, other,
                                  "--gates", path("g.npz")});
  EXPECT_EQ(gates.status, 2);
  EXPECT_TRUE(contains(gates.err, "give one --checkpoint")) << gates.err;
  const Outcome added =
      run_ognn({"predict", "--checkpoint", checkpoint_, other, "--add-nodes",
                path("n.csv"), "--out", path("p.csv")});
  EXPECT_EQ(added.status, 2);
  EXPECT_TRUE(contains(added.err, "take one model")) << added.err;
}

TEST_F(PredictCommand, ASplitIsScoredByModelsOfThatSplit) {
  ASSERT_EQ(run_ognn(tiny_train({"--splits", "0,1", "--seed", "7", "--out",
                                 path("b")}))
                .status,
            0);
  const Outcome same = run_ognn({"evaluate", "--checkpoint", checkpoint_,
                                 path("b/split-0/model.safetensors")});
  EXPECT_EQ(same.status, 0) << same.err;
  EXPECT_TRUE(contains(same.out, "ensemble of 2 (ordered_gnn) on")) << same.out;
  const Outcome others = run_ognn({"evaluate", "--checkpoint", checkpoint_,
                                   path("b/split-1/model.safetensors")});
  EXPECT_EQ(others.status, 2);
  EXPECT_TRUE(contains(others.err, "may be a training node of the other"))
      << others.err;
  const Outcome explained = run_ognn({"explain", "--checkpoint", checkpoint_,
                                      path("b/split-0/model.safetensors")});
  EXPECT_EQ(explained.status, 2);
}

TEST_F(PredictCommand, WorksOnAnotherGraphWithTheSameFeatures) {
  const Outcome outcome =
      run_ognn({"predict", "--checkpoint", checkpoint_, "--data",
                "synthetic:csbm?nodes=500&classes=3&features=8&seed=9", "--out",
                path("p.csv"), "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out).at("num_nodes"), 500);
}

TEST_F(PredictCommand, RefusesDataWithOtherFeaturesAndLeavesNothing) {
  const Outcome outcome =
      run_ognn({"predict", "--checkpoint", checkpoint_, "--data",
                "synthetic:csbm?features=9", "--out", path("p.csv")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "trained on 8 features")) << outcome.err;
  EXPECT_FALSE(std::filesystem::exists(path("p.csv")));
}

TEST_F(PredictCommand, SaysWhatMemoryItTakesAndKeepsALimit) {
  const auto predict = [&](const std::string& limit) {
    return run_ognn({"predict", "--checkpoint", checkpoint_, "--out",
                     path("p.csv"), "--max-memory", limit});
  };
  const Outcome allowed = predict("8G");
  EXPECT_EQ(allowed.status, 0) << allowed.err;
  EXPECT_TRUE(contains(allowed.err, "predicting 60 nodes takes up to"));
  std::filesystem::remove(path("p.csv"));
  const Outcome refused = predict("1M");
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "--max-memory 1.0 MB is less than"));
  EXPECT_FALSE(std::filesystem::exists(path("p.csv")));
  for (const char* const wrong : {"", "-1G", "4X", "G", "nan"}) {
    const Outcome outcome = predict(wrong);
    EXPECT_EQ(outcome.status, 2) << wrong;
    EXPECT_TRUE(contains(outcome.err, "such as 800M or 4G")) << wrong;
  }
}

TEST_F(PredictCommand, OverwritesItsOwnFilesOnly) {
  write_text(path("p.csv"), "my,notes\n");
  const std::vector<std::string> call = {"predict", "--checkpoint", checkpoint_,
                                         "--out", path("p.csv")};
  const Outcome refused = run_ognn(call);
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "p.csv")) << refused.err;
  std::filesystem::remove(path("p.csv"));
  EXPECT_EQ(run_ognn(call).status, 0);
  EXPECT_EQ(run_ognn(call).status, 0);
}

TEST_F(PredictCommand, AModelWithoutGatesSaysSo) {
  ASSERT_EQ(
      run_ognn(tiny_train({"--model", "mlp", "--out", path("mlp")})).status, 0);
  const Outcome outcome = run_ognn({"predict", "--checkpoint",
                                    path("mlp/split-0/model.safetensors"),
                                    "--gates", path("g.npz")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "this mlp has no gates"));
  EXPECT_TRUE(contains(outcome.err, "gated_gnn"));
  EXPECT_FALSE(std::filesystem::exists(path("g.npz")));
}

TEST_F(PredictCommand, EvaluateRepeatsTheScoresOfTraining) {
  std::ifstream file(path("run/summary.json"));
  const Json summary = Json::parse(file);
  const Outcome outcome =
      run_ognn({"evaluate", "--checkpoint", checkpoint_, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  for (const char* key : {"train_accuracy", "val_accuracy", "test_accuracy"}) {
    EXPECT_EQ(json.at(key), summary.at("runs")[0].at(key)) << key;
  }
  EXPECT_EQ(json.at("split"), 0);
  const Outcome table =
      run_ognn({"evaluate", "--checkpoint", checkpoint_, "--split", "1"});
  EXPECT_TRUE(contains(table.out, "macro F1"));
  EXPECT_EQ(run_ognn({"evaluate", "--checkpoint", checkpoint_, "--split", "3"})
                .status,
            2);
}

}  // namespace
}  // namespace ordered_gnn
