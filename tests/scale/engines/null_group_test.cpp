// One rank without the others, held against the same rank beside them.
#include "scale/engines/null_group.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/nn/models.h"
#include "scale/ranks/asked_rows.h"
#include "scale/training_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

TEST(NullGroup, GivesBackWhatWasSentAndCountsIt) {
  NullGroup group(1, 3, nullptr);
  at::Tensor received = torch::full({5}, 7.0);
  group.start_receive(received, 0, 2)->wait();
  EXPECT_TRUE(torch::equal(received, torch::zeros({5})));
  group.start_send(torch::tensor({1.0F, 2.0F}), 2, 1)->wait();
  group.start_receive(received, 2, 2)->wait();
  EXPECT_TRUE(
      torch::equal(received, torch::tensor({1.0F, 2.0F, 1.0F, 2.0F, 1.0F})));
  // Numbers of another type stay what they are.
  at::Tensor numbers = torch::full({2}, 9, torch::kLong);
  group.start_receive(numbers, 2, 0)->wait();
  EXPECT_TRUE(torch::equal(numbers, torch::zeros({2}, torch::kLong)));
  EXPECT_EQ(group.traffic().sent, 8);
  EXPECT_EQ(group.traffic().received, 20 + 20 + 16);
  EXPECT_EQ(group.traffic().messages, 4);
}

class LoneRankTest : public ::testing::Test {
 protected:
  // Rows in bytes that a rank sends in a step and an evaluation without the
  // others.
  WireCount sent_alone(int64_t rank, int64_t ranks) {
    const PartsManifest manifest = read_manifest(folder_);
    AskedRows asked(manifest, rank, ranks, /*trained_share=*/0.5);
    NullGroup group(rank, ranks,
                    [&](const at::Tensor& send, at::Tensor& receive) {
                      asked.answer(send, receive);
                    });
    RankWork work(
        group,
        [&](int64_t part) {
          Part own = read_part(folder_, manifest, part);
          asked.add(own);
          return own;
        },
        manifest, options_, /*threads=*/1);
    const std::shared_ptr<NodeModel> model = create_model(
        options_.model, work.shape(), options_.network, options_.train.seed);
    work.use_model(*model);
    LossTerms terms;
    terms.total_weight = 100;
    work.use_loss(terms);
    work.step(1);
    work.evaluate();
    for (const at::Tensor& parameter : model->parameters()) {
      if (rank == 0 && parameter.grad().defined()) {
        EXPECT_TRUE(parameter.grad().isfinite().all().item<bool>());
      }
    }
    return work.sent();
  }

  TempDir dir_;
  const std::filesystem::path folder_ = dir_ / "g.parts";
  RunOptions options_ = small_run();
};

// Each row is asked for by whom it is sent to, so that all ranks together send
// what a real run does.
TEST_F(LoneRankTest, RanksAloneSendWhatTheySendTogether) {
  const NodeDataset data = parts_data("&directed=true");
  write_test_parts(data, 4, folder_);
  options_.network.dropout_xi = 0;
  options_.train.epochs = 1;
  for (const int64_t ranks : {2, 3}) {
    WireCount alone;
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const WireCount one = sent_alone(rank, ranks);
      EXPECT_DOUBLE_EQ(one.expected, static_cast<double>(one.bytes));
      alone.bytes += one.bytes;
    }
    // It scores the best epoch once more.
    const Assignment assignment = assign_parts(data, 4, "stream");
    const HaloRows halo = halo_rows(data.graph, make_plan(assignment, 4), ranks,
                                    data.splits[0].train);
    const int64_t once_more =
        4 * halo.in * options_.network.layers * options_.network.hidden;
    const int64_t together =
        train_locally(folder_, options_, ranks).wire.bytes - once_more;
    // Which nodes of other ranks are trained on is drawn.
    const int64_t last =
        4 * (halo.last_in + halo.last_out) * options_.network.hidden;
    EXPECT_NEAR(static_cast<double>(alone.bytes), static_cast<double>(together),
                static_cast<double>(last));
    EXPECT_NEAR(static_cast<double>(alone.bytes), static_cast<double>(together),
                0.06 * static_cast<double>(together));
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
