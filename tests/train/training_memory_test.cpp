#include "train/training_memory.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/sanitized.h"

namespace ordered_gnn::training {
namespace {

// Large enough for its states to stand out from the rest of the process.
RunOptions measured_run(const std::string& model) {
  RunOptions options = default_options(model);
  options.data.data =
      "synthetic:csbm?nodes=20000&features=16&degree=6&splits=1";
  options.network.hidden = 120;
  options.network.layers = std::min<int64_t>(options.network.layers, 6);
  options.train.epochs = 2;
  return options;
}

// Growth of the process by the call, 0 when the system does not tell.
template <typename Call>
int64_t growth_of(const Call& call) {
  // As in `ognn`: malloc() would keep more than it gives back.
  use_recycling_allocator();
  release_recycled_memory();
  if (!reset_peak_memory()) return 0;
  const int64_t before = resident_memory_bytes();
  call();
  return peak_memory_bytes() - before;
}

void expect_within(const char* what, const MemoryRange& range, int64_t taken) {
  SCOPED_TRACE(what);
  if (taken == 0) GTEST_SKIP() << "the peak cannot be reset here";
  // The allocator may have kept what earlier work gave up.
  constexpr int64_t kKept = int64_t{16} << 20;
  EXPECT_GE(taken + kKept, range.least);
  EXPECT_LE(taken, range.most);
  // For whoever sets the numbers of a model: --gtest_output=json has them.
  ::testing::Test::RecordProperty(
      what, fmt::format("{} <= {} <= {} MB", range.least >> 20, taken >> 20,
                        range.most >> 20));
}

class MeasuredModel : public ::testing::TestWithParam<std::string> {};

TEST_P(MeasuredModel, TrainsAndPredictsWithinTheMemoryItNames) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer holds back memory";
  const RunOptions options = measured_run(GetParam());
  const NodeDataset data = load_dataset(options.data);
  Trained trained;
  expect_within("training", training_bytes(options, data),
                growth_of([&] { trained = train(data, 0, options); }));
  expect_within("prediction", prediction_bytes(options, data),
                growth_of([&] { predict(trained, data); }));
}

INSTANTIATE_TEST_SUITE_P(OfTheTable, MeasuredModel,
                         ::testing::ValuesIn(model_names()),
                         [](const auto& info) { return info.param; });

struct Variant {
  const char* name;
  Json values;
};

void PrintTo(const Variant& variant, std::ostream* out) {
  *out << variant.name;
}

class MeasuredVariant : public ::testing::TestWithParam<Variant> {};

TEST_P(MeasuredVariant, OfTheOrderedGnnTrainsWithinTheMemoryItNames) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer holds back memory";
  RunOptions options = measured_run("ordered_gnn");
  apply_values(GetParam().values, options);
  const NodeDataset data = load_dataset(options.data);
  expect_within("training", training_bytes(options, data),
                growth_of([&] { train(data, 0, options); }));
}

std::string measured_data(const std::string& keys) {
  return "synthetic:csbm?nodes=10000&splits=1&" + keys;
}

std::vector<Variant> variants_of_a_run() {
  return {
      {"Deep", {{"layers", 24}}},
      {"Recomputed", {{"layers", 24}, {"checkpoint-layers", true}}},
      {"ManyNeighbours", {{"data", measured_data("features=16&degree=30")}}},
      {"WideFeatures",
       {{"data", measured_data("features=1000&degree=4")}, {"layers", 2}}},
      {"SparseFeatures",
       {{"data",
         measured_data("features=5000&sparse=true&density=0.01&degree=4")},
        {"layers", 2}}},
      {"Attention", {{"aggregator", "gat"}, {"layers", 3}}},
      {"Transform", {{"transform", "linear"}}},
      {"TransformOfBatches",
       {{"transform", "linear"},
        {"norm", "batch"},
        {"candidate-norm", "batch"}}},
      {"TransformRecomputed",
       {{"transform", "linear"}, {"layers", 24}, {"checkpoint-layers", true}}},
      {"TransformUnfused", {{"transform", "linear"}, {"residual", true}}},
      {"LongInput", {{"mlp-layers", 4}, {"layers", 2}}}};
}

INSTANTIATE_TEST_SUITE_P(Switches, MeasuredVariant,
                         ::testing::ValuesIn(variants_of_a_run()),
                         [](const auto& info) { return info.param.name; });

TEST(TrainingMemory, IsRefusedBeforeTheFirstEpochWithNumberAndRemedies) {
  RunOptions options = measured_run("ordered_gnn");
  options.network.layers = 64;
  const NodeDataset data = load_dataset(options.data);
  const LittleMemory little(int64_t{64} << 20);
  bool began = false;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochReport&) { began = true; };
  const std::string message = error_of([&] { train(data, 0, options, hooks); });
  EXPECT_FALSE(began);
  EXPECT_TRUE(contains(message,
                       "training ordered_gnn on 'csbm' (20000 nodes, 64 "
                       "layers, width 120, 16 features) takes at least "));
  EXPECT_TRUE(contains(message, "--max-memory"));
  EXPECT_TRUE(contains(message, "use --checkpoint-layers, a smaller --hidden"));
  const int64_t least = training_bytes(options, data).least;
  options.train.checkpoint_layers = true;
  EXPECT_LT(training_bytes(options, data).least, least / 8);
}

TEST(TrainingMemory, CountsRunsSideBySideAndWarnsOfTheMost) {
  const RunOptions options = measured_run("ordered_gnn");
  const NodeDataset data = load_dataset(options.data);
  const MemoryRange range = training_bytes(options, data);
  const LittleMemory little(range.least + (int64_t{8} << 20));
  EXPECT_EQ(why_no_memory(options, data, 1), "");
  const std::string several = why_no_memory(options, data, 3);
  EXPECT_TRUE(contains(several, "training 3 runs at a time of ordered_gnn"));
  EXPECT_TRUE(contains(several, " each besides the data"));
  EXPECT_TRUE(contains(several, "use fewer --workers"));
  ASSERT_EQ(memory_remarks(options, data, 1).size(), 1u);
  EXPECT_TRUE(contains(memory_remarks(options, data, 1)[0], "may take up to"));
}

// A batch may be all of the graph, and then keeps what a step on it does.
TEST(TrainingMemory, OfDrawnNeighboursGoesByTheBatch) {
  RunOptions options = measured_run("ordered_gnn");
  options.network.layers = 3;
  const NodeDataset data = load_dataset(options.data);
  const MemoryRange whole = training_bytes(options, data);
  options.train.batch = "neighbors:all:all,all,all";
  const MemoryRange all = training_bytes(options, data);
  EXPECT_GE(all.most, whole.most);
  options.train.batch = "neighbors:16:2,2,2";
  const MemoryRange few = training_bytes(options, data);
  EXPECT_LT(few.most, all.most);
  EXPECT_GE(few.most, prediction_bytes(options, data).most);
  EXPECT_EQ(few.least, all.least);
}

TEST(TrainingMemory, OnAGpuIsNotAskedFor) {
  RunOptions options = measured_run("ordered_gnn");
  const NodeDataset data = load_dataset(options.data);
  options.execution.device = Device::cuda;
  const MemoryScope none(1);
  EXPECT_EQ(why_no_memory(options, data, 1), "");
  EXPECT_TRUE(memory_remarks(options, data, 1).empty());
}

TEST(TrainingMemory, TheOptionsOfARunLimitIt) {
  RunOptions options = measured_run("gcn");
  options.network.layers = 64;
  const NodeDataset data = load_dataset(options.data);
  options.execution.max_memory = std::to_string(resident_memory_bytes());
  EXPECT_TRUE(
      contains(error_of([&] { train(data, 0, options); }), "--max-memory"));
  options.execution.max_memory = "much";
  EXPECT_TRUE(contains(error_of([&] { train(data, 0, options); }),
                       "--max-memory takes a size"));
}

TEST(TrainingMemory, OfAPredictionIsRefusedByItsNumber) {
  RunOptions options = measured_run("ordered_gnn");
  options.train.epochs = 1;
  options.network.layers = 2;
  const NodeDataset data = load_dataset(options.data);
  const Trained trained = train(data, 0, options);
  const LittleMemory little(int64_t{4} << 20);
  const std::string message = error_of([&] { predict(trained, data); });
  EXPECT_TRUE(contains(message,
                       "dataset 'csbm': predicting 20000 nodes with "
                       "ordered_gnn takes "));
  EXPECT_TRUE(contains(message, "--max-memory"));
}

}  // namespace
}  // namespace ordered_gnn::training
