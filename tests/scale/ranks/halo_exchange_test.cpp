#include "scale/ranks/halo_exchange.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "scale/engines/local_group.h"
#include "scale/parts_support.h"
#include "scale/passing_group.h"
#include "scale/ranks/device_exchange.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

// The row of a node: numbers that tell which one it is.
at::Tensor rows_of_nodes(const at::Tensor& new_ids) {
  return torch::stack({new_ids, new_ids * 3 + 1, -new_ids}, 1)
      .to(torch::kFloat);
}

void check_part(const Part& part, const LocalLists& lists,
                core::RowExchange& exchange) {
  const int64_t n = part.rows();
  const at::Tensor own =
      rows_of_nodes(torch::arange(part.first, part.first + n, torch::kLong));
  const auto check = [&](core::RowExchange::Side side,
                         const std::vector<bool>& wanted) {
    const at::Tensor all = exchange.fetch(own, side);
    ASSERT_EQ(all.size(0), n + static_cast<int64_t>(lists.halo.size()));
    EXPECT_TRUE(torch::equal(all.narrow(0, 0, n), own));
    for (size_t i = 0; i < lists.halo.size(); ++i) {
      if (!wanted[i]) continue;
      EXPECT_TRUE(torch::equal(
          all[n + static_cast<int64_t>(i)],
          rows_of_nodes(torch::tensor({lists.halo[i]}, torch::kLong))[0]));
    }
  };
  for (int round = 0; round < 5; ++round) {
    check(core::RowExchange::Side::in, lists.sends);
    check(core::RowExchange::Side::out, lists.receives);
  }
}

// All that a rank does to fetch.
struct FetchingRank {
  /// @param by_device  rows are moved as on a GPU.
  FetchingRank(Group& group, const std::filesystem::path& folder,
               const PartsManifest& manifest, int64_t threads, bool by_device,
               int64_t passes = 1)
      : bounds(rank_bounds(manifest.bounds, group.size())),
        team(bounds[group.rank() + 1] - bounds[group.rank()], threads, passes) {
    for (int64_t p = bounds[group.rank()]; p < bounds[group.rank() + 1]; ++p) {
      parts.push_back(read_part(folder, manifest, p));
      lists.push_back(local_lists(parts.back()));
    }
    routes = make_routes(group, manifest, bounds, lists);
    if (by_device) {
      exchange = std::make_unique<DeviceExchange>(group, routes, team,
                                                  torch::kCPU, /*layers=*/1);
    } else {
      exchange = std::make_unique<HaloExchange>(group, routes, team, 1);
    }
  }

  std::shared_ptr<core::RowExchange> of_part(int64_t place) const {
    return exchange->of_part(place,
                             static_cast<int64_t>(lists[place].halo.size()));
  }

  std::vector<int64_t> bounds;
  std::vector<Part> parts;
  std::vector<LocalLists> lists;
  RankRoutes routes;
  PartTeam team;
  std::unique_ptr<RankExchange> exchange;
};

class Exchange : public ::testing::TestWithParam<bool> {};
INSTANTIATE_TEST_SUITE_P(OfRanks, Exchange, ::testing::Bool(),
                         [](const auto& by_device) {
                           return by_device.param ? "device" : "halo";
                         });

TEST_P(Exchange, FetchesTheRowsOfTheHaloForAnyRanksAndThreads) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&directed=true"), 5, dir / "g.parts");
  const PartsManifest manifest = read_manifest(folder);
  for (const int64_t ranks : {1, 2, 5}) {
    LocalHub hub(ranks);
    std::vector<std::thread> threads;
    for (int64_t r = 0; r < ranks; ++r) {
      threads.emplace_back([&, r] {
        const auto group = hub.rank(r);
        FetchingRank rank(*group, folder, manifest, r % 2 + 1, GetParam());
        rank.team.run(
            [&](int64_t place) {
              check_part(rank.parts[place], rank.lists[place],
                         *rank.of_part(place));
            },
            [&] { rank.exchange->abort(); });
      });
    }
    for (std::thread& thread : threads) thread.join();
  }
}

TEST_P(Exchange, LetsAllGoWhenAPartFailsAndBeginsAnew) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  const PartsManifest manifest = read_manifest(folder);
  SingleGroup alone;
  FetchingRank rank(alone, folder, manifest, 2, GetParam());
  const std::string said = error_of([&] {
    rank.team.run(
        [&](int64_t place) {
          if (place == 1) throw Error("no memory for part 1");
          check_part(rank.parts[place], rank.lists[place],
                     *rank.of_part(place));
        },
        [&] { rank.exchange->abort(); });
  });
  EXPECT_EQ(said, "no memory for part 1");
  rank.exchange->reset();
  rank.team.run(
      [&](int64_t place) {
        check_part(rank.parts[place], rank.lists[place], *rank.of_part(place));
      },
      [&] { rank.exchange->abort(); });
}

// Counts the messages that it is asked to let come.
class CountingGroup : public PassingGroup {
 public:
  using PassingGroup::PassingGroup;

  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override {
    ++receives;
    return PassingGroup::start_receive(values, from, tag);
  }

  std::atomic<int> receives{0};
};

// What it sends is on its way until that is ended from outside, as where the
// receiver has not yet come so far.
class HoldingGroup : public PassingGroup {
 public:
  using PassingGroup::PassingGroup;

  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override {
    PassingGroup::start_send(values, to, tag)->wait();
    return std::make_unique<Held>(*this);
  }

  std::mutex mutex;
  std::condition_variable changed;
  bool is_waited_for = false, is_over = false;

 private:
  struct Held : Transfer {
    explicit Held(HoldingGroup& group) : all(group) {}
    void wait() override {
      std::unique_lock<std::mutex> lock(all.mutex);
      all.is_waited_for = true;
      all.changed.notify_all();
      if (all.changed.wait_for(lock, std::chrono::seconds(20),
                               [&] { return all.is_over; })) {
        return;
      }
      throw Error("nobody else had a turn");
    }
    void abort() override {}
    HoldingGroup& all;
  };
};

// Messages that come after a part has failed would be nobody's to end, and a
// rank that waits for one of another that waits for it never ends.
TEST(HaloExchange, LetsNoMessagesComeOnceAPartHasFailed) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  const PartsManifest manifest = read_manifest(folder);
  LocalHub hub(2);
  std::thread other([&] {
    const auto group = hub.rank(1);
    const FetchingRank rank(*group, folder, manifest, 1, false);
  });
  const auto first = hub.rank(0);
  CountingGroup group(*first);
  FetchingRank rank(group, folder, manifest, 2, false);
  other.join();
  ASSERT_EQ(rank.parts.size(), 2u);
  std::atomic<bool> is_aborted{false};
  std::string late;
  const std::string said = error_of([&] {
    rank.team.run(
        [&](int64_t place) {
          if (place == 0) throw Error("no memory for part 0");
          while (!is_aborted) std::this_thread::yield();
          late = error_of([&] {
            check_part(rank.parts[1], rank.lists[1], *rank.of_part(1));
          });
        },
        [&] {
          rank.exchange->abort();
          is_aborted = true;
        });
  });
  EXPECT_EQ(said, "no memory for part 0");
  EXPECT_TRUE(contains(late, "another part of the graph"));
  EXPECT_EQ(group.receives, 0);
}

// The receiver may wait for another pass of this rank, which needs the turn.
TEST(HaloExchange, GivesItsTurnAwayWhileItWaitsForWhatItSent) {
  const TempDir dir;
  const auto folder = write_test_parts(parts_data(), 2, dir / "g.parts");
  const PartsManifest manifest = read_manifest(folder);
  LocalHub hub(2);
  const auto failure_of = [&](FetchingRank& rank, const auto& beside) {
    const std::string said = error_of([&] {
      rank.team.run(
          [&](int64_t index) {
            if (index == 1) {
              beside(rank.team);
            } else {
              check_part(rank.parts[0], rank.lists[0], *rank.of_part(0));
            }
          },
          [&] { rank.exchange->abort(); }, /*passes=*/2);
      rank.exchange->settle();
    });
    if (!said.empty()) hub.abort(said);
    return said;
  };
  std::thread other([&] {
    const auto group = hub.rank(1);
    FetchingRank rank(*group, folder, manifest, 1, false, /*passes=*/2);
    EXPECT_EQ(failure_of(rank, [](PartTeam&) {}), "");
  });
  const auto first = hub.rank(0);
  HoldingGroup group(*first);
  FetchingRank rank(group, folder, manifest, 1, false, /*passes=*/2);
  const std::string said = failure_of(rank, [&](PartTeam& team) {
    std::unique_lock<std::mutex> lock(group.mutex);
    team.wait(lock, group.changed, [&] { return group.is_waited_for; });
    group.is_over = true;
    group.changed.notify_all();
  });
  other.join();
  EXPECT_EQ(said, "");
  EXPECT_TRUE(group.is_over);
}

TEST(LocalLists, NameTheHaloByPlacesBehindThePartsOwnRows) {
  Part part;
  part.first = 10;
  part.original = torch::arange(3);
  // Node 11 hears 12, 3 and 40; node 12 sends to 3 and 99.
  part.in = {torch::tensor({0, 0, 3, 3}),
             torch::tensor({12, 3, 40}, torch::kInt)};
  part.out = {torch::tensor({0, 0, 0, 2}), torch::tensor({99, 3}, torch::kInt)};
  const LocalLists lists = local_lists(part);
  EXPECT_EQ(lists.halo, (std::vector<int64_t>{3, 40, 99}));
  EXPECT_EQ(lists.sends, (std::vector<bool>{true, true, false}));
  EXPECT_EQ(lists.receives, (std::vector<bool>{true, false, true}));
  EXPECT_TRUE(
      torch::equal(lists.in.col, torch::tensor({2, 3, 4}, torch::kInt)));
  EXPECT_TRUE(torch::equal(lists.out.col, torch::tensor({5, 3}, torch::kInt)));
}

}  // namespace
}  // namespace ordered_gnn::scale
