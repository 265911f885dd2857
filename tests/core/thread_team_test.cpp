#include "core/thread_team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <future>
#include <stdexcept>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

void expect_all_blocks(ThreadTeam& team, int64_t blocks, int helpers) {
  std::vector<std::atomic<int>> seen(static_cast<size_t>(blocks));
  team.run(blocks, helpers,
           [&](int64_t block) { ++seen[static_cast<size_t>(block)]; });
  for (const auto& count : seen) ASSERT_EQ(count, 1);
}

TEST(ThreadTeam, RunsEveryBlockOnceJobAfterJob) {
  ThreadTeam team([](int) {});
  for (int job = 0; job < 3000; ++job) {
    expect_all_blocks(team, job % 40, job % 5);
    // Long enough for helpers to go to sleep, now and then.
    if (job % 500 == 0) ::usleep(2000);
  }
}

TEST(ThreadTeam, HelpersTakeBlocks) {
  ThreadTeam team([](int) {});
  const std::thread::id owner = std::this_thread::get_id();
  std::promise<void> helped;
  // The block of the owner ends when a helper has taken the other.
  team.run(2, 1, [&](int64_t) {
    if (std::this_thread::get_id() != owner) return helped.set_value();
    EXPECT_EQ(helped.get_future().wait_for(std::chrono::seconds(60)),
              std::future_status::ready);
  });
}

TEST(ThreadTeam, DoesNotWaitForHelpersThatDidNotCome) {
  std::promise<void> late;
  const std::shared_future<void> come = late.get_future().share();
  ThreadTeam team([come](int) { come.wait(); });
  for (int job = 0; job < 10; ++job) expect_all_blocks(team, 20, 3);
  late.set_value();
  for (int job = 0; job < 10; ++job) expect_all_blocks(team, 20, 3);
}

TEST(ThreadTeam, TheFirstExceptionEndsAJobAndTheNextBegins) {
  ThreadTeam team([](int) {});
  for (int job = 0; job < 200; ++job) {
    std::atomic<int> begun{0};
    const auto body = [&](int64_t) {
      ++begun;
      throw std::domain_error("x");
    };
    EXPECT_THROW(team.run(1000000, 3, body), std::domain_error);
    EXPECT_LT(begun, 1000);
    expect_all_blocks(team, 10, 3);
  }
}

int64_t sum_of_blocks() {
  std::atomic<int64_t> total{0};
  parallel_blocks(100, [&](int64_t block) { total += block; });
  return total;
}

TEST(ThreadTeam, OfAForkedProcessIsThereNoMore) {
  set_num_threads(3);
  ASSERT_EQ(sum_of_blocks(), 4950);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    // Twice: helpers of its own are there the second time. It ends as programs
    // do, with what its thread leaves behind.
    std::exit(sum_of_blocks() + sum_of_blocks() == 2 * 4950 ? 0 : 1);
  }
  int status = -1;
  ::waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(sum_of_blocks(), 4950);
  set_num_threads(0);
}

TEST(ThreadTeam, ThreadsOfTheCallerHaveTeamsOfTheirOwn) {
  set_num_threads(3);
  std::vector<std::thread> callers;
  std::atomic<int64_t> total{0};
  for (int i = 0; i < 4; ++i) {
    callers.emplace_back([&] {
      for (int job = 0; job < 200; ++job) total += sum_of_blocks();
    });
  }
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(total, 4 * 200 * 4950);
  set_num_threads(0);
}

}  // namespace
}  // namespace ordered_gnn::core
