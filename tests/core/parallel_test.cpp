#include "ordered_gnn/core/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

class Parallel : public testing::Test {
 protected:
  void TearDown() override { set_num_threads(0); }
};

TEST_F(Parallel, EveryBlockRunsOnceForAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    std::vector<std::atomic<int>> seen(1000);
    parallel_blocks(1000, [&](int64_t block) { ++seen[block]; });
    for (const auto& count : seen) EXPECT_EQ(count, 1);
  }
}

TEST_F(Parallel, RangesCoverTheWholeWithoutOverlap) {
  set_num_threads(3);
  std::vector<std::atomic<int>> seen(1003);
  parallel_ranges(1003, 64, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) ++seen[i];
  });
  for (const auto& count : seen) EXPECT_EQ(count, 1);
  parallel_ranges(0, 64, [](int64_t, int64_t) { FAIL(); });
}

TEST_F(Parallel, ExceptionsReachTheCaller) {
  set_num_threads(2);
  EXPECT_THROW(parallel_blocks(100,
                               [](int64_t block) {
                                 if (block == 37) throw std::domain_error("x");
                               }),
               std::domain_error);
}

TEST_F(Parallel, NestedCallsStayOnTheCallingThread) {
  set_num_threads(2);
  std::atomic<int> inner{0};
  parallel_blocks(
      4, [&](int64_t) { parallel_blocks(4, [&](int64_t) { ++inner; }); });
  EXPECT_EQ(inner, 16);
}

TEST_F(Parallel, AskingForTheNumberOfThreadsChangesNothing) {
  std::thread([] {
    at::set_num_threads(3);
    set_num_threads(4);
    EXPECT_EQ(num_threads(), 4);
    EXPECT_EQ(at::get_num_threads(), 3);
    EXPECT_EQ(omp_get_max_threads(), 3);
  }).join();
}

TEST_F(Parallel, LibTorchIsSerialInAThreadScopeAndGetsItsThreadsBack) {
  std::thread([] {
    at::set_num_threads(3);
    set_num_threads(4);
    {
      const ThreadScope outer;
      EXPECT_EQ(num_threads(), 4);
      EXPECT_EQ(at::get_num_threads(), 1);
      {
        const ThreadScope inner(2);
        EXPECT_EQ(num_threads(), 2);
        const ThreadScope same;
        EXPECT_EQ(num_threads(), 2);
        EXPECT_EQ(at::get_num_threads(), 1);
      }
      EXPECT_EQ(num_threads(), 4);
      EXPECT_EQ(at::get_num_threads(), 1);
    }
    EXPECT_EQ(at::get_num_threads(), 3);
    EXPECT_EQ(omp_get_max_threads(), 3);
  }).join();
}

TEST_F(Parallel, AThreadThatSetOpenMpItselfKeepsItsNumber) {
  const int own = omp_get_num_procs() + 3;
  std::thread([own] {
    omp_set_num_threads(own);
    { const ThreadScope scope; }
    EXPECT_EQ(omp_get_max_threads(), own);
  }).join();
}

TEST_F(Parallel, AScopeThatIsLeftByAnExceptionGivesThreadsBack) {
  std::thread([] {
    at::set_num_threads(2);
    try {
      const ThreadScope scope(5);
      throw Error("stop");
    } catch (const Error&) {
    }
    EXPECT_EQ(at::get_num_threads(), 2);
    EXPECT_NE(num_threads(), 5);
  }).join();
}

TEST_F(Parallel, LibTorchIsLentThreadsForAsLongAsItIsTimed) {
  std::thread([] {
    at::set_num_threads(2);
    {
      const TorchThreads lent(3);
      EXPECT_EQ(at::get_num_threads(), 3);
    }
    EXPECT_EQ(at::get_num_threads(), 2);
  }).join();
  EXPECT_FALSE(blas_name().empty());
}

TEST_F(Parallel, ASerialScopeKeepsBlocksOnItsThread) {
  set_num_threads(3);
  std::thread([] {
    const SerialScope outer;
    { const SerialScope inner; }
    const std::thread::id own = std::this_thread::get_id();
    std::vector<int64_t> order;
    parallel_blocks(50, [&](int64_t block) {
      EXPECT_EQ(std::this_thread::get_id(), own);
      order.push_back(block);
    });
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
    EXPECT_EQ(order.size(), 50u);
    EXPECT_EQ(at::get_num_threads(), 1);
  }).join();
}

TEST_F(Parallel, BlocksSpreadAgainAfterASerialScope) {
  set_num_threads(2);
  { const SerialScope serial; }
  // Each block waits a while for the other one.
  std::atomic<int> started{0};
  std::atomic<int> met{0};
  parallel_blocks(2, [&](int64_t) {
    ++started;
    using Clock = std::chrono::steady_clock;
    const auto give_up = Clock::now() + std::chrono::seconds(30);
    while (started < 2 && Clock::now() < give_up) std::this_thread::yield();
    if (started == 2) ++met;
  });
  EXPECT_EQ(met, 2);
}

}  // namespace
}  // namespace ordered_gnn::core
