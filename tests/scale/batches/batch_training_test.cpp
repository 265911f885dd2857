#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>

#include "ordered_gnn/core/parallel.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"
#include "train/batch_choice.h"
#include "train/unread_options.h"

namespace ordered_gnn {
namespace {

RunOptions in_batches(RunOptions options, int64_t parts,
                      History history = History::on) {
  options.train.batch = "parts:" + std::to_string(parts);
  options.train.history = history;
  return options;
}

RunOptions without_dropout(RunOptions options) {
  options.network.dropout_theta = 0;
  options.network.dropout_xi = 0;
  return options;
}

// Its parameters stay as they are.
RunOptions frozen(const RunOptions& options) {
  RunOptions still = without_dropout(options);
  still.train.lr = 0;
  return still;
}

TEST(BatchTraining, OneBatchOfAllPartsIsAStepOnTheWholeGraph) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&directed=true"), 4, dir / "g.parts");
  RunOptions transform = small_run();
  transform.network.transform = Transform::linear;
  transform.train.class_weights = "balanced";
  for (const RunOptions& options : {small_run(), transform, small_run("gcn"),
                                    small_run("graphsage"), small_run("mlp")}) {
    const PartsOutcome whole = train_locally(folder, options, 1);
    for (const History history : {History::on, History::off}) {
      const PartsOutcome batch =
          train_locally(folder, in_batches(options, 4, history), 1);
      EXPECT_EQ(batch.losses, whole.losses) << options.model;
      EXPECT_EQ(first_difference(*batch.trained.model, *whole.trained.model),
                "")
          << options.model;
    }
  }
}

// What is remembered of a model that does not change is what it computes, so
// that batches together have the loss of the whole graph.
TEST(BatchTraining, TheHistoryOfAFrozenModelIsItsStates) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&directed=true"), 5, dir / "g.parts");
  for (const char* model : {"ordered_gnn", "gcn", "graphsage"}) {
    const RunOptions options = frozen(small_run(model));
    const double whole = train_locally(folder, options, 1).losses[0];
    for (const int64_t parts : {1, 2, 3}) {
      const PartsOutcome batches =
          train_locally(folder, in_batches(options, parts), 1);
      for (const double loss : batches.losses) {
        EXPECT_NEAR(loss, whole, 1e-6 * whole) << model << ' ' << parts;
      }
      const PartsOutcome alone =
          train_locally(folder, in_batches(options, parts, History::off), 1);
      EXPECT_GT(std::abs(alone.losses[0] - whole), 1e-4 * whole);
    }
  }
}

// Each part by itself is a graph without the edges between parts.
TEST(BatchTraining, WithoutHistoryMeansAreOverThoseThatAreThere) {
  const TempDir dir;
  NodeDataset data = parts_data("&directed=true");
  const scale::Assignment assignment = scale::assign_parts(data, 3, "stream");
  scale::write_parts(data, assignment, 3, "stream", dir / "g.parts", false);
  const Adjacency& in = data.graph.in();
  std::vector<std::pair<int64_t, int64_t>> within;
  const auto begin = in.rowptr.accessor<int64_t, 1>();
  const at::Tensor columns = in.col.to(torch::kLong);
  const auto col = columns.accessor<int64_t, 1>();
  for (int64_t v = 0; v < data.num_nodes(); ++v) {
    for (int64_t e = begin[v]; e < begin[v + 1]; ++e) {
      if (assignment[v] == assignment[col[e]]) within.emplace_back(col[e], v);
    }
  }
  ASSERT_LT(static_cast<int64_t>(within.size()), data.graph.num_edges());
  GraphOptions as_given;
  as_given.direction = Direction::as_stored;
  as_given.self_loops = SelfLoops::keep;
  data.graph = Graph::from_edges(data.num_nodes(), within, as_given);
  for (const char* model : {"ordered_gnn", "gcn"}) {
    const RunOptions options = frozen(small_run(model));
    double whole = 0;
    TrainHooks hooks;
    hooks.on_epoch = [&](const EpochReport& report) { whole = report.loss; };
    train(data, 0, options, hooks);
    const PartsOutcome batches =
        train_locally(dir / "g.parts", in_batches(options, 1, History::off), 1);
    EXPECT_NEAR(batches.losses[0], whole, 1e-6 * whole) << model;
  }
}

TEST(BatchTraining, HasTheSameBitsForAnyThreads) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 6, dir / "g.parts");
  for (const History history : {History::on, History::off}) {
    RunOptions options = in_batches(small_run(), 4, history);
    const PartsOutcome first = train_locally(folder, options, 1);
    for (const int threads : {1, 3, 8}) {
      set_num_threads(threads);
      const PartsOutcome again = train_locally(folder, options, 1);
      EXPECT_EQ(again.losses, first.losses);
      EXPECT_EQ(first_difference(*again.trained.model, *first.trained.model),
                "")
          << threads;
    }
    set_num_threads(0);
  }
}

TEST(BatchTraining, GoesOnWithTheSameBits) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 5, dir / "g.parts");
  int64_t runs = 0;
  for (const double average : {0.0, 0.9}) {
    for (const History history : {History::on, History::off}) {
      RunOptions options = in_batches(small_run(), 2, history);
      options.train.epochs = 6;
      options.train.average_weights = average;
      const PartsOutcome whole = train_locally(folder, options, 1);
      const PartsOutcome resumed = stop_and_resume(
          folder, options, dir / ("run" + std::to_string(++runs)), 1, 1);
      EXPECT_EQ(resumed.losses.back(), whole.losses.back());
      EXPECT_EQ(first_difference(*resumed.trained.model, *whole.trained.model),
                "");
    }
  }
}

TEST(BatchTraining, LearnsAsTheWholeGraphDoes) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&homophily=0.9"), 6, dir / "g.parts");
  RunOptions options = small_run();
  options.train.epochs = 40;
  const PartsOutcome whole = train_locally(folder, options, 1);
  const PartsOutcome batches = train_locally(folder, in_batches(options, 2), 1);
  EXPECT_LT(batches.losses.back(), 0.5 * batches.losses.front());
  EXPECT_GE(batches.trained.result.test.accuracy,
            whole.trained.result.test.accuracy - 0.08);
}

TEST(BatchTraining, SaysWhatItIsGivenWrong) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const auto folder = write_test_parts(data, 3, dir / "g.parts");
  for (const char* text :
       {"", "parts", "parts:", "parts:0", "parts:-1", "parts:1.5", "parts:4x",
        "nodes:4", "4", "parts:99999999999999999999"}) {
    RunOptions options = small_run();
    options.train.batch = text;
    EXPECT_TRUE(contains(error_of([&] { validate(options); }),
                         "option 'batch' takes whole, parts:N"))
        << text;
  }
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  const auto error = [&](const RunOptions& options) {
    return error_of([&] { scale::require_parts_options(options, manifest); });
  };
  EXPECT_EQ(error(in_batches(small_run(), 3)), "");
  EXPECT_TRUE(contains(error(in_batches(small_run(), 4)), "there are 3 parts"));
  EXPECT_TRUE(contains(error(in_batches(small_run("gat"), 2)),
                       "gat does not run over parts"));
  EXPECT_TRUE(contains(
      error_of([&] { train_locally(folder, in_batches(small_run(), 2), 2); }),
      "one rank"));
  EXPECT_TRUE(contains(error_of([&] {
                         scale::require_batch_ranks(in_batches(small_run(), 2),
                                                    1, scale::Wire::bf16);
                       }),
                       "--wire bf16"));
  EXPECT_TRUE(contains(error_of([&] {
                         scale::require_batch_ranks(in_batches(small_run(), 2),
                                                    1, scale::Wire::fp32,
                                                    /*spills=*/true);
                       }),
                       "--memory"));
  EXPECT_TRUE(
      contains(error_of([&] { train(data, 0, in_batches(small_run(), 2)); }),
               "ognn partition"));
}

TEST(BatchTraining, IsPartOfWhatTellsRunsApart) {
  const Json whole = run_identity(small_run(), "x");
  EXPECT_EQ(whole.count("batch") + whole.count("history"), 0U);
  const Json batches = run_identity(in_batches(small_run(), 2), "x");
  EXPECT_EQ(batches.at("batch"), "parts:2");
  EXPECT_EQ(batches.at("history"), "on");
  EXPECT_FALSE(training::reads_option(small_run(), "history"));
  EXPECT_TRUE(training::reads_option(in_batches(small_run(), 2), "history"));
}

}  // namespace
}  // namespace ordered_gnn
