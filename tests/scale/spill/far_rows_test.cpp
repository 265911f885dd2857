#include <gtest/gtest.h>
#include <torch/types.h>

#include <chrono>
#include <future>
#include <memory>
#include <thread>

#include "scale/engines/local_group.h"
#include "scale/parts/plan.h"
#include "scale/parts/reader.h"
#include "scale/parts_support.h"
#include "scale/spill/far_rounds.h"
#include "scale/spill/spilled_exchange.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kFarParts = 5, kFarWidth = 3;

// Values that bf16 does not hold.
float value_of(int64_t node, int64_t column) {
  return static_cast<float>(node) + 0.001F * static_cast<float>(column);
}

at::Tensor rows_of_nodes(const std::vector<int64_t>& nodes) {
  const at::Tensor rows =
      torch::empty({static_cast<int64_t>(nodes.size()), kFarWidth});
  auto at = rows.accessor<float, 2>();
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (int64_t d = 0; d < kFarWidth; ++d) {
      at[static_cast<int64_t>(i)][d] = value_of(nodes[i], d);
    }
  }
  return rows;
}

std::vector<int64_t> nodes_between(int64_t first, int64_t behind,
                                   int64_t step = 1) {
  std::vector<int64_t> nodes;
  for (int64_t v = first; v < behind; v += step) nodes.push_back(v);
  return nodes;
}

struct FarSetting {
  const PartsManifest& manifest;
  PagedMemory& memory;
  Wire wire;
  int64_t piece;
};

// Every rank needs every third node of the parts of others, and none of part 1.
void check_rank(const FarSetting& setting, Group& group) {
  const PartsManifest& manifest = setting.manifest;
  const std::vector<int64_t> bounds =
      rank_bounds(manifest.bounds, group.size());
  const int64_t first = bounds[group.rank()], last = bounds[group.rank() + 1];
  const auto is_own = [&](int64_t p) { return p >= first && p < last; };
  std::vector<at::Tensor> rows(kFarParts);
  std::vector<int64_t> needed;
  for (int64_t p = 0; p < kFarParts; ++p) {
    const int64_t begin = manifest.bounds[p], end = manifest.bounds[p + 1];
    if (is_own(p)) {
      rows[p] = rows_of_nodes(nodes_between(begin, end));
    } else if (p != 1) {
      for (const int64_t node : nodes_between(begin, end, 3)) {
        needed.push_back(node);
      }
    }
  }
  FarRounds far(group, setting.memory, manifest, bounds, setting.wire,
                setting.piece);
  far.ask(needed, {});
  for (int times = 0; times < 3; ++times) {
    const auto round =
        std::make_shared<FarRounds::Round>(FarRounds::Side::in, kFarParts);
    far.begin(round);
    for (int64_t p = first; p < last; ++p) far.bring(*round, p, rows[p]);
    for (int64_t p = 0; p < kFarParts; ++p) {
      if (is_own(p) || p == 1) continue;
      at::Tensor expected = rows_of_nodes(
          nodes_between(manifest.bounds[p], manifest.bounds[p + 1], 3));
      if (setting.wire == Wire::bf16) {
        expected = expected.to(torch::kBFloat16).to(torch::kFloat);
      }
      EXPECT_TRUE(far.rows_of(*round, p).equal(expected))
          << group.rank() << " " << p;
    }
  }
  far.settle();
}

// Enough for whoever will ever come.
bool comes(std::future<void>& what) {
  return what.wait_for(std::chrono::minutes(2)) == std::future_status::ready;
}

// Parts of a small graph and a memory for the rows of all ranks.
class FarRowsTest : public ::testing::Test {
 protected:
  PagedMemory::Settings settings() const {
    PagedMemory::Settings result;
    result.budget = 1 << 20;
    result.parts = kFarParts;
    return result;
  }

  at::Tensor rows_of_part(int64_t part) const {
    return rows_of_nodes(
        nodes_between(manifest_.bounds[part], manifest_.bounds[part + 1]));
  }

  // A round that has begun and has the rows of all parts of rank 1.
  std::shared_ptr<FarRounds::Round> brought_by_rank_1(FarRounds& far) const {
    const auto round =
        std::make_shared<FarRounds::Round>(FarRounds::Side::in, kFarParts);
    far.begin(round);
    for (int64_t p = bounds_[1]; p < kFarParts; ++p) {
      far.bring(*round, p, rows_of_part(p));
    }
    return round;
  }

  const TempDir dir_;
  const std::filesystem::path folder_ =
      write_test_parts(parts_data(), kFarParts, dir_ / "g.parts");
  const PartsManifest manifest_ = read_manifest(folder_);
  SpillFile file_{dir_.path(), 0};
  PagedMemory memory_{file_, settings()};
  LocalHub hub_{2};
  const std::vector<int64_t> bounds_ = rank_bounds(manifest_.bounds, 2);
};

TEST_F(FarRowsTest, ComeInPiecesOfAnySize) {
  for (const int64_t ranks : {2, 3, 5}) {
    for (const Wire wire : {Wire::fp32, Wire::bf16}) {
      for (const int64_t piece : {int64_t{1}, int64_t{100}, FarRows::kPiece}) {
        SCOPED_TRACE(piece);
        LocalHub hub(ranks);
        std::vector<std::thread> threads;
        for (int64_t r = 0; r < ranks; ++r) {
          threads.emplace_back([&, r] {
            check_rank({manifest_, memory_, wire, piece}, *hub.rank(r));
          });
        }
        for (std::thread& thread : threads) thread.join();
      }
    }
  }
}

// Rank 1 gets the rows of part 0 while part 1 of rank 0 still has to come.
TEST_F(FarRowsTest, GoWhileOtherPartsStillCompute) {
  ASSERT_GE(bounds_[1], 2);
  std::promise<void> came;
  std::future<void> has_come = came.get_future();
  std::thread other([&] {
    const auto group = hub_.rank(1);
    FarRounds far(*group, memory_, manifest_, bounds_, Wire::fp32);
    far.ask(nodes_between(0, manifest_.bounds[bounds_[1]]), {});
    const auto round = brought_by_rank_1(far);
    EXPECT_TRUE(far.rows_of(*round, 0).equal(rows_of_part(0)));
    came.set_value();
    EXPECT_TRUE(far.rows_of(*round, bounds_[1] - 1)
                    .equal(rows_of_part(bounds_[1] - 1)));
    far.settle();
  });
  const auto group = hub_.rank(0);
  FarRounds far(*group, memory_, manifest_, bounds_, Wire::fp32);
  far.ask({}, {});
  const auto round =
      std::make_shared<FarRounds::Round>(FarRounds::Side::in, kFarParts);
  far.begin(round);
  far.bring(*round, 0, rows_of_part(0));
  EXPECT_TRUE(comes(has_come));
  for (int64_t p = 1; p < bounds_[1]; ++p) {
    far.bring(*round, p, rows_of_part(p));
  }
  far.settle();
  other.join();
}

// The same of parts that take turns: what one has brought goes while the next
// has its turn.
TEST_F(FarRowsTest, OfAPartThatHasHadItsTurnAreOnTheirWay) {
  ASSERT_GE(bounds_[1], 2);
  constexpr int64_t kTimes = 3;
  std::vector<std::promise<void>> came(kTimes);
  std::thread other([&] {
    const auto group = hub_.rank(1);
    FarRounds far(*group, memory_, manifest_, bounds_, Wire::fp32);
    const std::vector<int64_t> all = nodes_between(0, manifest_.bounds[1]);
    far.ask(all, all);
    for (std::promise<void>& one : came) {
      const auto round = brought_by_rank_1(far);
      EXPECT_TRUE(far.rows_of(*round, 0).equal(rows_of_part(0)));
      one.set_value();
    }
    far.settle();
  });
  const auto group = hub_.rank(0);
  TurnTeam team(memory_, bounds_[1], 1);
  SpilledExchange exchange(*group, memory_, team, manifest_, bounds_, kTimes,
                           Wire::fp32);
  team.run(0, [&](int64_t place) {
    const LocalLists lists = local_lists(read_part(folder_, manifest_, place));
    const auto part = exchange.of_part(place, lists);
    for (int64_t i = 0; i < kTimes; ++i) {
      // Ranks know in the first round what others need when all have come.
      if (place == 1 && i > 0) {
        std::future<void> has_come = came[i].get_future();
        EXPECT_TRUE(comes(has_come));
      }
      const at::Tensor rows =
          part->fetch(rows_of_part(place), core::RowExchange::Side::in);
      EXPECT_TRUE(rows.narrow(0, 0, manifest_.rows_of(place))
                      .equal(rows_of_part(place)));
    }
  });
  exchange.settle();
  other.join();
}

TEST_F(FarRowsTest, NobodyWaitsForThemWhenAPartHasFailed) {
  const auto group = hub_.rank(0);
  FarRounds far(*group, memory_, manifest_, bounds_, Wire::fp32);
  // Of rank 1: that it needs nothing, and nothing else.
  std::thread other([&] {
    const auto last = hub_.rank(1);
    FarRows(*last, memory_, manifest_, bounds_, Wire::fp32)
        .ask(FarRows::Side::in, {});
    FarRows(*last, memory_, manifest_, bounds_, Wire::fp32)
        .ask(FarRows::Side::out, {});
  });
  far.ask({manifest_.bounds[bounds_[1]]}, {});
  other.join();
  const auto round =
      std::make_shared<FarRounds::Round>(FarRounds::Side::in, kFarParts);
  far.begin(round);
  far.bring(*round, 0, rows_of_part(0));
  auto waiting = std::async(std::launch::async, [&] {
    return error_of([&] { far.rows_of(*round, bounds_[1]); });
  });
  far.abort();
  EXPECT_TRUE(contains(waiting.get(), "could not be computed"));
  EXPECT_TRUE(contains(error_of([&] { far.settle(); }), "be computed"));
  far.reset();
  EXPECT_EQ(error_of([&] { far.settle(); }), "");
}

}  // namespace
}  // namespace ordered_gnn::scale
