#include "scale/ranks/part_team.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace ordered_gnn::scale {
namespace {

TEST(PartTeam, RunsEveryPartAndNoMoreAtATimeThanThreads) {
  PartTeam team(9, 3);
  std::atomic<int> running{0}, most{0}, total{0};
  for (int round = 0; round < 20; ++round) {
    team.run(
        [&](int64_t) {
          const int now = ++running;
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          ++total;
          --running;
        },
        [] {});
  }
  EXPECT_EQ(total, 9 * 20);
  EXPECT_LE(most, 3);
}

TEST(PartTeam, RunsSeveralPassesByTheTurnsOfOne) {
  PartTeam team(3, 2, /*passes=*/2);
  for (const int64_t passes : {1, 2, 1, 2, 2, 1}) {
    std::atomic<int> running{0}, most{0};
    std::vector<std::atomic<int>> calls(6);
    team.run(
        [&](int64_t index) {
          const int now = ++running;
          int seen = most;
          while (now > seen && !most.compare_exchange_weak(seen, now)) {
          }
          ++calls[index];
          --running;
        },
        [] {}, passes);
    EXPECT_LE(most, 2);
    for (int64_t i = 0; i < 6; ++i) {
      EXPECT_EQ(calls[i], i < 3 * passes ? 1 : 0) << i;
    }
  }
}

TEST(PartTeam, APartThatWaitsGivesItsTurnToOthers) {
  PartTeam team(4, 1);
  std::atomic<int> arrived{0};
  // Would wait forever if a waiting part kept its turn.
  team.run(
      [&](int64_t) {
        ++arrived;
        team.pause();
        while (arrived < 4) std::this_thread::yield();
        team.resume();
      },
      [] {});
  EXPECT_EQ(arrived, 4);
}

TEST(PartTeam, ThrowsWhatAPartThrewAndLetsTheOthersGo) {
  PartTeam team(3, 2);
  std::atomic<bool> failed{false};
  EXPECT_THROW(team.run(
                   [&](int64_t part) {
                     if (part == 1) throw std::runtime_error("part 1");
                     team.pause();
                     while (!failed) std::this_thread::yield();
                     team.resume();
                   },
                   [&] { failed = true; }),
               std::runtime_error);
  int runs = 0;
  PartTeam alone(1, 1);
  alone.run([&](int64_t) { ++runs; }, [] {});
  EXPECT_EQ(runs, 1);
}

}  // namespace
}  // namespace ordered_gnn::scale
