#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "scale/passing_group.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/temp_dir.h"
#include "train/checkpoint.h"

namespace ordered_gnn {
namespace {

struct PartsCase {
  std::string name;
  std::string data;  ///< more of the generator's settings
  RunOptions options;
};

void PrintTo(const PartsCase& one, std::ostream* out) { *out << one.name; }

RunOptions with(RunOptions options, void (*change)(RunOptions&)) {
  change(options);
  return options;
}

std::vector<PartsCase> cases() {
  const RunOptions plain = small_run();
  return {
      {"softor", "", plain},
      {"sparse", "&sparse=true&features=40", plain},
      {"directed", "&directed=true", plain},
      {"dense_graph", "&degree=24", plain},
      {"gcn_aggregator", "&directed=true",
       with(plain,
            [](RunOptions& o) { o.network.aggregator = Aggregator::gcn; })},
      {"sum_ordered", "",
       with(plain,
            [](RunOptions& o) {
              o.network.aggregator = Aggregator::sum;
              o.network.gating = Gating::ordered;
            })},
      {"tied_gates", "",
       with(plain, [](RunOptions& o) { o.network.tied_gates = true; })},
      {"residual", "",
       with(plain, [](RunOptions& o) { o.network.residual = true; })},
      {"transform", "&directed=true",
       with(plain,
            [](RunOptions& o) { o.network.transform = Transform::linear; })},
      {"balanced", "",
       with(plain,
            [](RunOptions& o) {
              o.train.class_weights = "balanced";
              o.train.clip_norm = 0.5;
              o.train.average_weights = 0.9;
            })},
      {"gated_gnn", "", small_run("gated_gnn")},
      {"bare_gnn", "", small_run("bare_gnn")},
      {"mlp", "", small_run("mlp")},
      {"gcn", "", small_run("gcn")},
      {"graphsage", "&directed=true",
       with(small_run("graphsage"),
            [](RunOptions& o) { o.network.dropout_theta = 0.4; })},
  };
}

class TrainingOverParts : public ::testing::TestWithParam<PartsCase> {};

TEST_P(TrainingOverParts, GivesTheSameBitsForAnyNumberOfRanks) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data(GetParam().data), 5, dir / "g.parts");
  const PartsOutcome one = train_locally(folder, GetParam().options, 1);
  for (const int64_t ranks : {2, 3, 5}) {
    const PartsOutcome several =
        train_locally(folder, GetParam().options, ranks);
    EXPECT_EQ(several.losses, one.losses) << ranks;
    EXPECT_EQ(first_difference(*several.trained.model, *one.trained.model), "")
        << ranks;
    EXPECT_EQ(several.trained.result.test.accuracy,
              one.trained.result.test.accuracy);
  }
}

TEST_P(TrainingOverParts, StartsWithTheLossOfTheWholeGraph) {
  const TempDir dir;
  const NodeDataset data = parts_data(GetParam().data);
  const auto folder = write_test_parts(data, 4, dir / "g.parts");
  RunOptions options = GetParam().options;
  options.train.epochs = 2;
  TrainHooks hooks;
  std::vector<double> losses;
  hooks.on_epoch = [&](const EpochReport& report) {
    losses.push_back(report.loss);
  };
  const Trained whole = train(data, 0, options, hooks);
  const PartsOutcome parts = train_locally(folder, options, 2);
  EXPECT_NEAR(parts.losses[0], losses[0], 1e-6 * std::abs(losses[0]));
  EXPECT_NEAR(parts.losses[1], losses[1], 1e-4 * std::abs(losses[1]));
}

// With one part the rows, the blocks and the sums are those of the whole graph.
TEST_P(TrainingOverParts, OfOnePartIsTrainingOnTheWholeGraph) {
  const TempDir dir;
  const NodeDataset data = parts_data(GetParam().data);
  const auto folder = write_test_parts(data, 1, dir / "g.parts");
  const Trained whole = train(data, 0, GetParam().options);
  const PartsOutcome parts = train_locally(folder, GetParam().options, 1);
  EXPECT_EQ(first_difference(*parts.trained.model, *whole.model), "");
  EXPECT_EQ(parts.trained.result.val.accuracy, whole.result.val.accuracy);
  EXPECT_EQ(parts.trained.result.val.log_loss, whole.result.val.log_loss);
}

INSTANTIATE_TEST_SUITE_P(Cases, TrainingOverParts, ::testing::ValuesIn(cases()),
                         [](const auto& info) { return info.param.name; });

TEST(PartsRun, TakesTheOtherSplitsAndAnyThreads) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 6, dir / "g.parts");
  RunOptions options = small_run();
  const PartsOutcome first = train_locally(folder, options, 2, {}, /*split=*/1);
  EXPECT_EQ(first.trained.result.split, 1);
  for (const int64_t threads : {1, 3, 8}) {
    options.execution.threads = threads;
    set_num_threads(static_cast<int>(threads));
    const PartsOutcome again =
        train_locally(folder, options, 3, {}, /*split=*/1);
    EXPECT_EQ(first_difference(*again.trained.model, *first.trained.model), "")
        << threads;
  }
  set_num_threads(0);
}

TEST(PartsRun, RoundsRowsOnTheWireAlikeForAnyNumberOfRanks) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&directed=true"), 4, dir / "g.parts");
  const auto run = [&](int64_t ranks, scale::Wire wire) {
    return train_locally(folder, small_run(), ranks, {}, 0, wire);
  };
  const PartsOutcome exact = run(1, scale::Wire::fp32);
  const PartsOutcome one = run(1, scale::Wire::bf16);
  EXPECT_NE(one.losses, exact.losses);
  EXPECT_NEAR(one.losses[0], exact.losses[0], 1e-2 * exact.losses[0]);
  for (const int64_t ranks : {2, 4}) {
    const PartsOutcome several = run(ranks, scale::Wire::bf16);
    EXPECT_EQ(several.losses, one.losses) << ranks;
    EXPECT_EQ(first_difference(*several.trained.model, *one.trained.model), "")
        << ranks;
    EXPECT_EQ(2 * several.wire.bytes, run(ranks, scale::Wire::fp32).wire.bytes);
  }
}

TEST(PartsRun, DoesNotGoOnWithOtherRowsOnTheWire) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  TrainHooks hooks;
  hooks.folder = dir / "run";
  int64_t asked = 0;
  hooks.should_stop = [&] { return ++asked > 2; };
  EXPECT_THROW(train_locally(folder, small_run(), 1, hooks), Interrupted);
  hooks.should_stop = nullptr;
  hooks.resume = true;
  EXPECT_NE(error_of([&] {
              train_locally(folder, small_run(), 1, hooks, 0,
                            scale::Wire::bf16);
            }),
            "");
}

TEST(PartsRun, GoesOnWithAnotherNumberOfRanks) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  RunOptions options = small_run();
  options.train.epochs = 6;
  const PartsOutcome whole = train_locally(folder, options, 1);
  const PartsOutcome resumed =
      stop_and_resume(folder, options, dir / "run", 2, 4);
  EXPECT_EQ(first_difference(*resumed.trained.model, *whole.trained.model), "");
}

TEST(PartsRun, APartWithoutTrainingNodesHandsGradientsOn) {
  const TempDir dir;
  NodeDataset data = parts_data();
  // All training nodes in one part.
  const int64_t half = data.num_nodes() / 2;
  Split& split = data.splits[0];
  split.val = split.val.masked_select(split.val.ge(0));
  split.train = split.train.masked_select(split.train.lt(half));
  scale::Assignment assignment;
  for (int64_t v = 0; v < data.num_nodes(); ++v) {
    assignment.push_back(v < half ? 0 : 1);
  }
  scale::write_parts(data, assignment, 2, "halves", dir / "g.parts", false);
  const RunOptions options = small_run();
  std::vector<double> losses;
  TrainHooks hooks;
  hooks.on_epoch = [&](const EpochReport& report) {
    losses.push_back(report.loss);
  };
  train(data, 0, options, hooks);
  const PartsOutcome parts = train_locally(dir / "g.parts", options, 2);
  for (size_t i = 0; i < losses.size(); ++i) {
    EXPECT_NEAR(parts.losses[i], losses[i], 2e-3 * losses[i]) << i;
  }
  EXPECT_NEAR(parts.losses[0], losses[0], 1e-6 * losses[0]);
}

TEST(PartsRun, RecomputedLayersHaveTheSameBits) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  RunOptions options = small_run();
  options.network.layers = 9;
  const PartsOutcome kept = train_locally(folder, options, 1);
  options.train.checkpoint_layers = true;
  for (const int64_t ranks : {1, 3}) {
    const PartsOutcome again = train_locally(folder, options, ranks);
    EXPECT_EQ(again.losses, kept.losses) << ranks;
    EXPECT_EQ(first_difference(*again.trained.model, *kept.trained.model), "")
        << ranks;
  }
}

TEST(PartsRun, RefusesWhatItCannotDo) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  const auto error = [&](RunOptions options) {
    return error_of([&] { scale::require_parts_options(options, manifest); });
  };
  EXPECT_EQ(error(small_run()), "");
  EXPECT_TRUE(contains(error(small_run("gat")),
                       "gat does not run over parts of a graph"));
  EXPECT_TRUE(contains(error(small_run("gat")), "graphsage"));
  const auto changed = [&](void (*change)(RunOptions&)) {
    return error(with(small_run(), change));
  };
  EXPECT_TRUE(contains(
      changed([](RunOptions& o) { o.network.norm = Norm::batch; }), "batch"));
  EXPECT_TRUE(contains(
      changed([](RunOptions& o) { o.network.aggregator = Aggregator::max; }),
      "--aggregator max"));
  EXPECT_TRUE(contains(
      changed([](RunOptions& o) { o.network.directions = Directions::split; }),
      "--directions split"));
  EXPECT_TRUE(
      contains(changed([](RunOptions& o) { o.network.node_ids = NodeIds::id; }),
               "--node-ids"));
  EXPECT_TRUE(contains(
      changed([](RunOptions& o) { o.network.first_state = FirstState::heard; }),
      "--first-state"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) { o.train.drop_edge = 0.1; }),
                       "--drop-edge"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) {
                         o.train.checkpoint_layers = true;
                         o.execution.device = Device::cuda;
                       }),
                       "--checkpoint-layers with --device cuda"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) { o.execution.pin = true; }),
                       "--pin"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) { o.data.format = "csv"; }),
                       "--format"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) { o.data.split_seed = 3; }),
                       "--split-seed"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) { o.data.unlabelled = "?"; }),
                       "--unlabelled"));
  EXPECT_TRUE(contains(changed([](RunOptions& o) {
                         o.data.missing_columns = MissingColumns::fill;
                       }),
                       "--missing-columns"));
  EXPECT_TRUE(contains(error_of([&] { train_locally(folder, small_run(), 4); }),
                       "there are 3 parts"));
  TreatmentChoice said;
  said.self_loops = SelfLoops::keep;
  RunOptions options = small_run();
  EXPECT_TRUE(contains(
      error_of([&] { scale::take_treatment(manifest, said, options); }),
      "--self-loops keep does not fit the parts"));
}

// A model answers over parts, however it was trained.
TEST(PartsRun, AnswersForModelsThatItCouldNotTrain) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  RunOptions options = small_run();
  for (const char* batch : {"parts:8", "neighbors:64:5,5"}) {
    options.train.batch = batch;
    options.train.drop_edge = 0.1;
    EXPECT_NE(
        error_of([&] { scale::require_parts_options(options, manifest); }), "");
    EXPECT_EQ(error_of([&] {
                scale::require_parts_options(
                    training::answering_options(options), manifest);
              }),
              "");
  }
}

// Counts what rank 0 tells all others.
class ToldGroup : public scale::PassingGroup {
 public:
  ToldGroup(scale::Group& group, int64_t& told)
      : PassingGroup(group), told_(told) {}

  void broadcast(at::Tensor& values) override {
    ++told_;
    PassingGroup::broadcast(values);
  }

 private:
  int64_t& told_;
};

// The others wait for rank 0 elsewhere: an engine that waits until they listen
// would never return.
TEST(PartsRun, SaysNoFarewellInTheMidstOfACommand) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  RunOptions options = small_run();
  options.train.epochs = 1;
  const PartsOutcome trained = train_locally(folder, options, 1);
  const PartsRead parts(folder, options, scale::Wire::fp32);
  int64_t told = 0, then = -1;
  const auto predict = [&](bool fails) {
    scale::run_local(2, folder, parts.manifest, options,
                     [&](scale::Group& group, int64_t threads) {
                       ToldGroup counted(group, told);
                       scale::PartsRun run(
                           {counted, folder, parts.manifest, options, threads},
                           parts.scored);
                       run.predict(*trained.trained.model,
                                   [&](int64_t, const at::Tensor&) {
                                     then = told;
                                     if (fails) throw Error("the disk is full");
                                   });
                     });
  };
  EXPECT_EQ(error_of([&] { predict(/*fails=*/true); }), "the disk is full");
  EXPECT_EQ(told, then);
  predict(/*fails=*/false);
  EXPECT_EQ(told, then + 1);
}

TEST(PartsRun, RefusesWhatDoesNotFitIntoMemory) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  RunOptions options = small_run();
  options.network.hidden = 256;
  options.network.layers = 64;
  const LittleMemory little(int64_t{4} << 20);
  EXPECT_TRUE(contains(error_of([&] { train_locally(folder, options, 1); }),
                       "training ordered_gnn on parts 0 to 2 of 3 on one rank "
                       "takes"));
}

TEST(PartsRun, ADamagedPartOfAnotherRankIsNamed) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  std::filesystem::remove(folder / "part-0002/features.npy");
  EXPECT_TRUE(contains(error_of([&] { train_locally(folder, small_run(), 3); }),
                       "part-0002/features.npy"));
}

}  // namespace
}  // namespace ordered_gnn
