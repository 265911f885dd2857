// Every model of the table through training, files and prediction.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "ordered_gnn/train/trained.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/model_cases.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"

namespace ordered_gnn::training {
namespace {

class ModelRuns : public testing::TestWithParam<ModelCase> {
 protected:
  ModelRuns() {
    options_.model = GetParam().model;
    options_.network = GetParam().options;
    options_.train.epochs = 4;
    if (options_.network.directions == Directions::split) {
      data_.graph = one_way(data_.graph);
    }
  }

  std::map<std::string, at::Tensor> trained(const std::string& name,
                                            bool resume = false) {
    TrainHooks hooks;
    hooks.folder = dir_ / name;
    hooks.resume = resume;
    train_split(data_, 0, options_, hooks);
    return core::read_safetensors(dir_ / name / "model.safetensors").tensors;
  }

  RunOptions options_ = tiny_run();
  NodeDataset data_ = load_dataset(options_.data);
  TempDir dir_;
};

bool are_the_same_bits(const std::map<std::string, at::Tensor>& a,
                       const std::map<std::string, at::Tensor>& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    if (!torch::equal(tensor, b.at(name))) return false;
  }
  return true;
}

TEST_P(ModelRuns, ASavedModelPredictsWhatItDidInTraining) {
  trained("run");
  const auto file = dir_ / "run" / "model.safetensors";
  const Trained checkpoint = load_trained(file);
  require_fit(checkpoint, data_, file);
  const Prediction prediction = predict(*checkpoint.model, data_, {true});
  EXPECT_EQ(prediction.embeddings.size(0), data_.num_nodes());
  const Scores test =
      score_nodes(prediction.logits, data_.labels, data_.splits[0].test);
  EXPECT_DOUBLE_EQ(test.accuracy, checkpoint.result.test.accuracy);
}

TEST_P(ModelRuns, AStoppedRunGoesOnToTheSameBitsWithDroppedEdges) {
  options_.train.drop_edge = 0.3;
  options_.train.save_seconds = 0;
  const auto whole = trained("whole");
  struct Stop {};
  TrainHooks hooks;
  hooks.folder = dir_ / "parts";
  hooks.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 3) throw Stop();
  };
  EXPECT_THROW(train_split(data_, 0, options_, hooks), Stop);
  EXPECT_TRUE(are_the_same_bits(trained("parts", /*resume=*/true), whole));
  options_.train.drop_edge = 0;
  const bool learns_from_edges = options_.model != "mlp" && !whole.empty();
  EXPECT_NE(are_the_same_bits(trained("all edges"), whole), learns_from_edges);
}

INSTANTIATE_TEST_SUITE_P(AllModels, ModelRuns, testing::ValuesIn(model_cases()),
                         [](const testing::TestParamInfo<ModelCase>& info) {
                           return info.param.name;
                         });

TEST(ModelFiles, AModelOfNodesFitsItsOwnGraphOnly) {
  for (const char* const ids : {"none", "id", "adjacency"}) {
    RunOptions options = tiny_run();
    options.model = std::string(ids) == "none" ? "link" : "ordered_gnn";
    options.network.node_ids = parse_node_ids(ids);
    options.train.epochs = 2;
    const TempDir dir;
    TrainHooks hooks;
    hooks.folder = dir.path();
    const NodeDataset data = load_dataset(options.data);
    const RunResult run = train_split(data, 0, options, hooks);
    options.data.data =
        "synthetic:csbm?nodes=61&classes=3&features=8&degree=4&seed=1";
    const NodeDataset other = load_dataset(options.data);
    EXPECT_TRUE(contains(error_of([&] {
                           require_fit(load_trained(run.checkpoint), other,
                                       run.checkpoint);
                         }),
                         "parameters for the 60 nodes"))
        << ids;
    // As many nodes, and yet others.
    NodeDataset same_size = data;
    same_size.name = "another";
    const auto fit = [&] {
      return error_of([&] {
        require_fit(load_trained(run.checkpoint), same_size, run.checkpoint);
      });
    };
    EXPECT_EQ(fit(), "") << "a copy of it under another name";
    same_size.provenance.fingerprint = "other content";
    EXPECT_TRUE(contains(fit(), "which are not those of 'another'")) << ids;
  }
}

TEST(ModelFiles, DirectionsOfAGraphWithoutThemAreNotSplit) {
  RunOptions options = tiny_run();
  options.network.directions = Directions::split;
  const auto refusal = [&] {
    return error_of(
        [&] { train_split(load_dataset(options.data), 0, options, {}); });
  };
  options.data.treatment.direction = Direction::undirected;
  EXPECT_TRUE(contains(refusal(), "is read both ways"));
  EXPECT_TRUE(contains(refusal(), "or --direction as_stored"));
  // Who does not read the switch is not asked.
  options.model = "mlp";
  EXPECT_EQ(refusal(), "");
  NodeDataset data = load_dataset(options.data);
  data.treatment.direction = Direction::as_stored;
  options.model = "ordered_gnn";
  EXPECT_TRUE(contains(error_of([&] { train_split(data, 0, options, {}); }),
                       "is stored both ways; use --directions joint"));
}

TEST(ModelFiles, AClaimOfHugeSizeIsRefusedForEveryModel) {
  const TempDir dir;
  const auto file = dir / "model.safetensors";
  for (const ModelEntry& entry : model_table()) {
    Trained about;
    about.options = run_options_from_json({{"model", entry.name}});
    about.options.network.layers = 3;
    about.shape = {8, 3, NodeFeatures::Kind::dense, 60};
    const auto model =
        create_model(entry.name, about.shape, about.options.network, 1);
    const auto state = named_state(*model);
    if (state.empty()) continue;  // nothing to take memory for
    about.shape.num_features = about.shape.num_nodes = int64_t{1} << 37;
    write_checkpoint(file, state, about);
    EXPECT_TRUE(
        contains(error_of([&] { load_trained(file); }), "the model needs"))
        << entry.name;
  }
}

}  // namespace
}  // namespace ordered_gnn::training
