#include "ordered_gnn/core/parallel.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

namespace ordered_gnn {
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

TEST_F(Parallel, LibTorchStaysSerialSoThatResultsDoNotDependOnThreads) {
  set_num_threads(4);
  EXPECT_EQ(num_threads(), 4);
  EXPECT_EQ(at::get_num_threads(), 1);
}

}  // namespace
}  // namespace ordered_gnn
