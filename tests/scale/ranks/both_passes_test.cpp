// An evaluation and a training step at once, held against one after the other.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "ordered_gnn/nn/models.h"
#include "scale/engines/local_group.h"
#include "scale/training_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kEpoch = 3;

// What rank 0 has of one evaluation and one step.
struct Passed {
  at::Tensor logits;
  double loss = 0;
  std::vector<at::Tensor> gradients;
  WireCount sent;
};

class BothPasses : public ::testing::Test {
 protected:
  Passed pass(Group& group, const PartsManifest& manifest, bool at_once) {
    RankWork work(
        group, [&](int64_t part) { return read_part(folder_, manifest, part); },
        manifest, options_, /*threads=*/2);
    EXPECT_EQ(work.can_do_both(), group.size() > 1);
    const std::shared_ptr<NodeModel> model = create_model(
        options_.model, work.shape(), options_.network, options_.train.seed);
    work.use_model(*model);
    LossTerms terms;
    terms.total_weight = 100;
    work.use_loss(terms);
    Passed passed;
    if (at_once) {
      const RankWork::Both both = work.evaluate_and_step(kEpoch);
      passed.logits = both.logits;
      passed.loss = both.step.loss;
    } else {
      passed.logits = work.evaluate();
      passed.loss = work.step(kEpoch).loss;
    }
    for (const at::Tensor& parameter : model->parameters()) {
      passed.gradients.push_back(parameter.grad());
    }
    passed.sent = work.sent();
    return passed;
  }

  // By ranks on threads of this process; of rank 0.
  Passed pass_together(int64_t ranks, bool at_once) {
    const PartsManifest manifest = read_manifest(folder_);
    LocalHub hub(ranks);
    std::vector<std::thread> others;
    for (int64_t r = 1; r < ranks; ++r) {
      others.emplace_back([&, r] { pass(*hub.rank(r), manifest, at_once); });
    }
    const Passed first = pass(*hub.rank(0), manifest, at_once);
    for (std::thread& other : others) other.join();
    return first;
  }

  const TempDir dir_;
  const std::filesystem::path folder_ =
      write_test_parts(parts_data("&directed=true"), 5, dir_ / "g.parts");
  RunOptions options_ = small_run();
};

TEST_F(BothPasses, HaveTheBitsOfEach) {
  for (const char* const model : {"ordered_gnn", "gcn"}) {
    options_ = small_run(model);
    const Passed apart = pass_together(3, /*at_once=*/false);
    for (int round = 0; round < 5; ++round) {
      const Passed at_once = pass_together(3, /*at_once=*/true);
      EXPECT_TRUE(at_once.logits.equal(apart.logits)) << model;
      EXPECT_EQ(at_once.loss, apart.loss) << model;
      ASSERT_EQ(at_once.gradients.size(), apart.gradients.size());
      for (size_t i = 0; i < apart.gradients.size(); ++i) {
        EXPECT_EQ(at_once.gradients[i].defined(), apart.gradients[i].defined());
        if (!apart.gradients[i].defined()) continue;
        EXPECT_TRUE(at_once.gradients[i].equal(apart.gradients[i])) << model;
      }
      EXPECT_EQ(at_once.sent.bytes, apart.sent.bytes);
    }
  }
}

// Nothing travels that could hide behind the other pass.
TEST_F(BothPasses, AreNotForOneRank) {
  EXPECT_GT(pass_together(1, /*at_once=*/false).loss, 0);
}

}  // namespace
}  // namespace ordered_gnn::scale
