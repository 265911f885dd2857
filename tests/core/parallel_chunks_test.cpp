#include "core/parallel_chunks.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/trace.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

class ParallelChunks : public testing::Test {
 protected:
  void TearDown() override { set_num_threads(0); }
};

TEST_F(ParallelChunks, RunEveryBlockOnceForAnyNumberOfThreads) {
  const std::vector<int64_t> blocks = {5, 0, 9, 1};
  for (const int threads : {1, 2, 3, 20}) {
    set_num_threads(threads);
    std::vector<std::vector<std::atomic<int>>> seen;
    for (const int64_t count : blocks) seen.emplace_back(count);
    parallel_chunks(blocks, [&](int64_t chunk, int64_t block,
                                const ChunkTurn&) { ++seen[chunk][block]; });
    for (const auto& chunk : seen) {
      for (const auto& count : chunk) EXPECT_EQ(count, 1) << threads;
    }
  }
  parallel_chunks({}, [](int64_t, int64_t, const ChunkTurn&) { FAIL(); });
  parallel_chunks({0}, [](int64_t, int64_t, const ChunkTurn&) { FAIL(); });
}

// More threads than chunks, and blocks that take longer the earlier they are:
// without turns the later ones would be first.
TEST_F(ParallelChunks, BlocksOfAChunkTakeTheirTurnsInOrder) {
  for (const int threads : {1, 2, 7}) {
    set_num_threads(threads);
    std::vector<std::vector<int64_t>> first(3), last(3);
    parallel_chunks(
        {6, 6, 6}, [&](int64_t chunk, int64_t block, const ChunkTurn& turn) {
          std::this_thread::sleep_for(std::chrono::milliseconds(6 - block));
          turn.take(0, [&] { first[chunk].push_back(block); });
          std::this_thread::sleep_for(std::chrono::milliseconds(6 - block));
          turn.take(2, [&] { last[chunk].push_back(block); });
        });
    for (int chunk = 0; chunk < 3; ++chunk) {
      const std::vector<int64_t> order = {0, 1, 2, 3, 4, 5};
      EXPECT_EQ(first[chunk], order) << threads;
      EXPECT_EQ(last[chunk], order) << threads;
    }
  }
}

TEST_F(ParallelChunks, AFailureReachesTheCallerAndLeavesNobodyWaiting) {
  for (const int threads : {1, 2, 5}) {
    set_num_threads(threads);
    EXPECT_THROW(parallel_chunks(
                     {40, 40},
                     [](int64_t chunk, int64_t block, const ChunkTurn& turn) {
                       if (chunk == 1 && block == 3) {
                         throw std::domain_error("x");
                       }
                       turn.take(0, [] {});
                     }),
                 std::domain_error)
        << threads;
  }
}

TEST_F(ParallelChunks, NestedOnesRunOnTheCallingThread) {
  set_num_threads(2);
  std::atomic<int> inner{0};
  parallel_blocks(4, [&](int64_t) {
    const auto here = std::this_thread::get_id();
    parallel_chunks({2, 3}, [&](int64_t, int64_t, const ChunkTurn& turn) {
      EXPECT_EQ(std::this_thread::get_id(), here);
      turn.take(0, [&] { ++inner; });
    });
  });
  EXPECT_EQ(inner, 20);
}

TEST_F(ParallelChunks, AreOneLoopWithTheirBlocksInATrace) {
  set_num_threads(2);
  start_trace();
  enter_traced_op("sums");
  parallel_chunks({3, 4}, [](int64_t, int64_t, const ChunkTurn&) {});
  leave_traced_op();
  int64_t loops = 0, blocks = 0;
  for (const TraceEvent& event : stop_trace()) {
    EXPECT_EQ(event.name, "sums");
    if (event.kind == TraceEvent::Kind::block) ++blocks;
    if (event.kind != TraceEvent::Kind::loop) continue;
    ++loops;
    EXPECT_EQ(event.block, 7);
  }
  EXPECT_EQ(loops, 1);
  EXPECT_EQ(blocks, 7);
}

}  // namespace
}  // namespace ordered_gnn::core
