#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <omp.h>
#include <torch/types.h>
#include <unistd.h>

#include <thread>

#include "core/blas_threads.h"
#include "ordered_gnn/ordered_gnn.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

extern char** environ;

namespace ordered_gnn::training {
namespace {

// A ring of three classes in which the features tell the class.
struct Arrays {
  explicit Arrays(uint64_t seed = 1) {
    torch::manual_seed(seed);
    const int64_t nodes = 90;
    const at::Tensor node = torch::arange(nodes, torch::kLong);
    labels = node.remainder(3);
    edges = torch::stack({node, (node + 3).remainder(nodes)}, 1);
    features = torch::rand({nodes, 5});
    for (int64_t v = 0; v < nodes; ++v) features[v][v % 3] += 1;
  }
  at::Tensor edges, features, labels;
};

RunOptions quick(const std::string& model = "ordered_gnn") {
  return short_run(model, 30);
}

// A model of a user's own: the mean of the neighbours beside the node itself.
class MeanModel : public NodeModel {
 public:
  MeanModel(int64_t features, int64_t classes) {
    RandomStream random(7, kInitStream);
    output = register_module(
        "output", std::make_shared<Affine>(2 * features, classes, random));
  }

  at::Tensor forward(const Graph& graph, const NodeFeatures& features,
                     const ForwardContext& context,
                     ForwardTrace* trace) override {
    (void)context;
    const at::Tensor x = features.dense_values();
    const at::Tensor both = torch::cat({x, mean_aggregate(graph, x)}, 1);
    if (trace != nullptr) trace->embeddings = both;
    return linear(both, output->weight, output->bias);
  }

  std::shared_ptr<Affine> output;
};

class FrontDoor : public testing::Test {
 protected:
  Arrays arrays_;
  NodeDataset data_ =
      make_dataset(arrays_.edges, arrays_.features, arrays_.labels);
  TempDir dir_;
};

TEST_F(FrontDoor, TrainsSavesLoadsAndPredictsInMemory) {
  const Trained trained = train(data_, 0, quick());
  EXPECT_GT(trained.result.test.accuracy, 0.8);
  EXPECT_EQ(trained.result.checkpoint, "");
  EXPECT_EQ(trained.fingerprint, data_.provenance.fingerprint);
  const Prediction said = predict(trained, data_);
  EXPECT_EQ(said.labels.sizes(), at::IntArrayRef({90}));
  EXPECT_DOUBLE_EQ(
      score_nodes(said.logits, data_.labels, data_.splits[0].test).accuracy,
      trained.result.test.accuracy);
  trained.save(dir_ / "m.safetensors");
  const Trained again = load_trained(dir_ / "m.safetensors");
  EXPECT_TRUE(torch::equal(predict(again, data_).logits, said.logits));
  EXPECT_EQ(again.result.best_epoch, trained.result.best_epoch);
  EXPECT_EQ(again.result.seed, trained.result.seed);
  EXPECT_EQ(to_json(again.options), to_json(trained.options));
}

TEST_F(FrontDoor, DefaultOptionsAreTheCommandsOwn) {
  for (const ModelEntry& entry : model_table()) {
    EXPECT_EQ(to_json(default_options(entry.name)),
              to_json(run_options_from_layers({{{"model", entry.name}}})))
        << entry.name;
  }
  EXPECT_EQ(default_options("gcn").network.layers, 2);
  EXPECT_EQ(to_json(default_options()), to_json(RunOptions{}));
  EXPECT_TRUE(
      contains(error_of([] { default_options("gcm"); }), "did you mean"));
}

TEST_F(FrontDoor, RecordsTheTreatmentThatTheDataHasHad) {
  ArrayOptions how;
  how.treatment.direction = Direction::undirected;
  how.treatment.self_loops = SelfLoops::remove;
  how.treatment.features = Treatment::Features::raw;
  const NodeDataset data =
      make_dataset(arrays_.edges, arrays_.features, arrays_.labels, how);
  train(data, 0, quick()).save(dir_ / "m.safetensors");
  const DataOptions other =
      data_for(load_trained(dir_ / "m.safetensors"), "synthetic:csbm");
  EXPECT_EQ(other.data, "synthetic:csbm");
  EXPECT_EQ(other.treatment.direction, Direction::undirected);
  EXPECT_EQ(other.treatment.self_loops, SelfLoops::remove);
  EXPECT_EQ(other.treatment.features, Treatment::Features::raw);
}

TEST_F(FrontDoor, TrainsAModelOfTheCallersOwn) {
  const auto model = std::make_shared<MeanModel>(5, 3);
  const at::Tensor before = model->output->weight.detach().clone();
  RunOptions options = quick();
  options.train.lr = 0.1;
  const Trained trained = train(model, data_, 0, options);
  EXPECT_EQ(trained.model, model);
  EXPECT_FALSE(torch::equal(model->output->weight, before));
  EXPECT_GT(trained.result.test.accuracy, 0.8);
  const at::Tensor said = predict(trained, data_).logits;
  trained.save(dir_ / "own.safetensors");
  EXPECT_TRUE(
      contains(error_of([&] { load_trained(dir_ / "own.safetensors"); }),
               "load_trained(file, model)"));
  const Trained again =
      load_trained(dir_ / "own.safetensors", std::make_shared<MeanModel>(5, 3));
  EXPECT_TRUE(torch::equal(predict(again, data_).logits, said));
  EXPECT_TRUE(contains(error_of([&] {
                         load_trained(dir_ / "own.safetensors",
                                      std::make_shared<MeanModel>(4, 3));
                       }),
                       "'output.weight' is [3, 10], the model needs [3, 8]"));
}

TEST_F(FrontDoor, GoesOnInAFolderWithTheSameDataOnly) {
  TrainHooks hooks;
  hooks.folder = dir_ / "run";
  hooks.resume = true;
  const Trained first = train(data_, 0, quick(), hooks);
  const Trained again = train(data_, 0, quick(), hooks);
  EXPECT_EQ(again.result.seconds, first.result.seconds);  // not trained again
  EXPECT_TRUE(
      torch::equal(predict(again, data_).logits, predict(first, data_).logits));
  const Arrays others(2);
  const NodeDataset other =
      make_dataset(others.edges, others.features, others.labels);
  EXPECT_TRUE(contains(error_of([&] { train(other, 0, quick(), hooks); }),
                       "trained on other data"));
  RunOptions faster = quick();
  faster.train.lr *= 2;
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, faster, hooks); }),
                       "other settings"));
}

TEST_F(FrontDoor, AStateOfOtherDataOfTheSameShapeIsRefused) {
  TrainHooks hooks;
  hooks.folder = dir_ / "run";
  hooks.resume = true;
  hooks.on_epoch = [](const EpochReport& report) {
    if (report.epoch == 20) throw std::runtime_error("power cut");
  };
  RunOptions options = quick();
  options.train.save_seconds = 0;
  EXPECT_THROW(train(data_, 0, options, hooks), std::runtime_error);
  hooks.on_epoch = nullptr;
  const Arrays others(2);
  const NodeDataset other =
      make_dataset(others.edges, others.features, others.labels);
  EXPECT_TRUE(contains(error_of([&] { train(other, 0, options, hooks); }),
                       "other settings"));
  EXPECT_GT(train(data_, 0, options, hooks).result.epochs, 20);
}

TEST_F(FrontDoor, WhatCannotBeRightIsAnError) {
  EXPECT_TRUE(contains(error_of([&] { train(data_, 10, quick()); }),
                       "has 10 splits, there is no split 10"));
  EXPECT_NE(error_of([&] { train(data_, -1, quick()); }), "");
  RunOptions options = quick();
  options.model = "gcm";
  EXPECT_TRUE(
      contains(error_of([&] { train(data_, 0, options); }), "did you mean"));
  options = quick();
  options.network.hidden = 18;
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, options); }), "chunk"));
  options = quick();
  options.train.epochs = 0;
  EXPECT_TRUE(contains(error_of([&] { train(data_, 0, options); }), "epochs"));
  EXPECT_NE(error_of([&] { train(nullptr, data_, 0, quick()); }), "");
  EXPECT_NE(error_of([&] { predict(Trained{}, data_); }), "");
  EXPECT_NE(error_of([&] { Trained{}.save(dir_ / "none"); }), "");
  EXPECT_NE(error_of([&] { load_trained(dir_ / "none"); }), "");
}

TEST_F(FrontDoor, DataOfOtherShapesIsRefusedByPredict) {
  const Trained trained = train(data_, 0, quick());
  const NodeDataset narrow = make_dataset(
      arrays_.edges, arrays_.features.slice(1, 0, 4), arrays_.labels);
  EXPECT_TRUE(contains(error_of([&] { predict(trained, narrow); }),
                       "trained on 5 features"));
  ArrayOptions four;
  four.class_names = {"a", "b", "c", "d"};
  const NodeDataset more =
      make_dataset(arrays_.edges, arrays_.features, arrays_.labels, four);
  EXPECT_TRUE(contains(error_of([&] { predict(trained, more); }),
                       "trained on 3 classes"));
}

struct ProcessState {
  ProcessState() {
    for (char** entry = environ; *entry != nullptr; ++entry) {
      environment.emplace_back(*entry);
    }
  }
  bool operator==(const ProcessState& other) const {
    return torch_threads == other.torch_threads &&
           openmp_threads == other.openmp_threads &&
           blas_threads == other.blas_threads && dtype == other.dtype &&
           gradients == other.gradients && tf32 == other.tf32 &&
           environment == other.environment;
  }
  int torch_threads = at::get_num_threads();
  int openmp_threads = omp_get_max_threads();
  int blas_threads = core::blas_threads();
  caffe2::TypeMeta dtype = c10::get_default_dtype();
  bool gradients = at::GradMode::is_enabled();
  bool tf32 = at::globalContext().allowTF32CuBLAS();
  std::vector<std::string> environment;
};

TEST_F(FrontDoor, EveryCallLeavesTheProcessAsItWas) {
  for (const int threads : {1, 3}) {
    at::set_num_threads(threads);
    const ProcessState before;
    RunOptions options = quick();
    options.execution.threads = 2;
    const Trained trained = train(data_, 0, options);
    EXPECT_TRUE(ProcessState() == before) << "train";
    predict(trained, data_);
    EXPECT_TRUE(ProcessState() == before) << "predict";
    load_dataset("synthetic:csbm?nodes=50");
    EXPECT_TRUE(ProcessState() == before) << "load_dataset";
    make_dataset(arrays_.edges, arrays_.features, arrays_.labels);
    EXPECT_TRUE(ProcessState() == before) << "make_dataset";
    explain_graph(*trained.model, data_);
    EXPECT_TRUE(ProcessState() == before) << "explain_graph";
    num_threads();
    EXPECT_TRUE(ProcessState() == before) << "num_threads";
    options.train.lr = -1;
    EXPECT_NE(error_of([&] { train(data_, 0, options); }), "");
    EXPECT_TRUE(ProcessState() == before) << "a call that throws";
  }
}

TEST_F(FrontDoor, TheThreadsOfTheOptionsHold) {
  RunOptions options = quick();
  options.execution.threads = 3;
  TrainHooks hooks;
  int seen = 0, of_torch = 0;
  hooks.on_epoch = [&](const EpochReport&) {
    seen = num_threads();
    of_torch = at::get_num_threads();
  };
  const Trained three = train(data_, 0, options, hooks);
  EXPECT_EQ(seen, 3);
  EXPECT_EQ(of_torch, 1);
  options.execution.threads = 1;
  const Trained one = train(data_, 0, options, hooks);
  EXPECT_EQ(seen, 1);
  EXPECT_TRUE(
      torch::equal(predict(three, data_).logits, predict(one, data_).logits));
}

TEST_F(FrontDoor, TheThreadsOfLibTorchDoNotShowInTheResult) {
  at::set_num_threads(1);
  const at::Tensor serial = predict(train(data_, 0, quick()), data_).logits;
  at::set_num_threads(4);
  const at::Tensor parallel = predict(train(data_, 0, quick()), data_).logits;
  at::set_num_threads(1);
  EXPECT_TRUE(torch::equal(serial, parallel));
}

TEST_F(FrontDoor, NoFileStaysOpenWhenAConstructorThrows) {
  const auto open_files = [] {
    size_t count = 0;
    for (const auto& entry :
         std::filesystem::directory_iterator("/proc/self/fd")) {
      (void)entry;
      ++count;
    }
    return count;
  };
  TrainHooks hooks;
  hooks.folder = dir_ / "run";
  RunOptions options = quick();
  options.train.metric = Metric::roc_auc;
  NodeDataset data = data_;
  data.labels = torch::zeros_like(data.labels);  // nothing to rank
  const size_t before = open_files();
  for (int i = 0; i < 5; ++i) {
    EXPECT_NE(error_of([&] { train(data, 0, options, hooks); }), "");
  }
  EXPECT_EQ(open_files(), before);
}

}  // namespace
}  // namespace ordered_gnn::training
