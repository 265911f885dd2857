#include <c10/core/CPUAllocator.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <new>
#include <thread>
#include <vector>

#include "core/recycling_scope.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::core {
namespace {

// Only blocks from 1 MB on are kept.
constexpr int64_t kFloatsPerMegabyte = (int64_t{1} << 20) / 4;

at::Tensor megabytes(double size) {
  return torch::empty({static_cast<int64_t>(size * kFloatsPerMegabyte)});
}

class RecyclingAllocator : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    made_before_ = new at::Tensor(megabytes(3).fill_(7));
    use_recycling_allocator();
  }
  static void TearDownTestSuite() { delete made_before_; }

  static at::Tensor* made_before_;
};

at::Tensor* RecyclingAllocator::made_before_ = nullptr;

TEST_F(RecyclingAllocator, BlocksFromBeforeItCanBeFreedAfterIt) {
  EXPECT_TRUE(made_before_->eq(7).all().item<bool>());
  made_before_->reset();
  EXPECT_TRUE(megabytes(3).fill_(8).eq(8).all().item<bool>());
}

TEST_F(RecyclingAllocator, LargeBlocksBeginWhereHugePagesDo) {
  std::vector<at::Tensor> kept;
  // Sizes of this test alone, of whole and of broken huge pages.
  for (const double size : {2.0, 2.3, 7.7, 14.0, 31.1}) {
    kept.push_back(megabytes(size).fill_(size));
    const auto address = reinterpret_cast<uintptr_t>(kept.back().data_ptr());
    EXPECT_EQ(address % (uintptr_t{1} << 21), 0u) << size;
  }
  for (const at::Tensor& block : kept) {
    EXPECT_TRUE(block.eq(block[0]).all().item<bool>());
  }
}

TEST_F(RecyclingAllocator, AFreedBlockServesTheNextTensorOfItsSize) {
  // A size of this test alone, so that no other block is at hand.
  at::Tensor first = megabytes(5).fill_(1);
  const void* const block = first.data_ptr();
  at::Tensor meanwhile = megabytes(5);
  EXPECT_NE(meanwhile.data_ptr(), block);
  first.reset();
  at::Tensor second = megabytes(5);
  EXPECT_EQ(second.data_ptr(), block);
  EXPECT_TRUE(second.fill_(2).eq(2).all().item<bool>());
}

TEST_F(RecyclingAllocator, EndsAndBeginsAgainUnlessAnotherOneIsUsed) {
  at::Tensor kept = megabytes(3).fill_(7);
  end_recycling();
  EXPECT_EQ(c10::GetCPUAllocator(), c10::GetDefaultCPUAllocator());
  EXPECT_TRUE(kept.eq(7).all().item<bool>());
  kept.reset();
  c10::SetCPUAllocator(c10::GetDefaultMobileCPUAllocator(), /*priority=*/1);
  EXPECT_FALSE(begin_recycling());
  EXPECT_EQ(c10::GetCPUAllocator(), c10::GetDefaultMobileCPUAllocator());
  c10::SetCPUAllocator(c10::GetDefaultCPUAllocator(), /*priority=*/1);
  EXPECT_TRUE(begin_recycling());
  EXPECT_TRUE(begin_recycling());
  EXPECT_NE(c10::GetCPUAllocator(), c10::GetDefaultCPUAllocator());
}

TEST_F(RecyclingAllocator, ABlockServesALittleLessButNotMuchLess) {
  // As much as any test has in use: it leaves room for all of what follows.
  megabytes(64);
  at::Tensor first = megabytes(7.5);
  const void* const block = first.data_ptr();
  first.reset();
  EXPECT_NE(megabytes(6).data_ptr(), block);
  EXPECT_EQ(megabytes(7).data_ptr(), block);
}

TEST_F(RecyclingAllocator, SmallAndEmptyTensorsWorkAsWell) {
  EXPECT_EQ(torch::empty({0}).numel(), 0);
  for (const int64_t size :
       {int64_t{1}, kFloatsPerMegabyte - 1, kFloatsPerMegabyte}) {
    EXPECT_TRUE(torch::full({size}, 3.f).eq(3).all().item<bool>());
  }
  // LibTorch asks for memory without a tensor around it, too.
  c10::Allocator& allocator = *c10::GetCPUAllocator();
  for (const size_t size : {size_t{100}, size_t{9} << 20}) {
    auto* const bytes = static_cast<char*>(allocator.raw_allocate(size));
    bytes[0] = bytes[size - 1] = 1;
    allocator.raw_deallocate(bytes);
  }
}

TEST_F(RecyclingAllocator, NoBlockServesTwoTensorsAtATime) {
  constexpr int kThreads = 6;
  std::atomic<int> spoiled{0};
  std::vector<at::Tensor> last(kThreads);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&, thread] {
      std::vector<at::Tensor> held(3);
      for (int turn = 0; turn < 150; ++turn) {
        // A few sizes, so that blocks move between threads.
        at::Tensor& slot = held[turn % 3];
        slot = megabytes(1 + 0.5 * ((thread + turn) % 4));
        const float mark = static_cast<float>(1000 * thread + turn);
        // An element of every page.
        const at::Tensor pages = slot.slice(0, 0, c10::nullopt, 1024);
        pages.fill_(mark);
        std::this_thread::yield();
        spoiled += !pages.eq(mark).all().item<bool>();
      }
      last[thread] = held[0];
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(spoiled, 0);
  // Freed by another thread than the one that asked for them.
  last.clear();
  EXPECT_TRUE(megabytes(1.5).fill_(2).eq(2).all().item<bool>());
}

// Tensors of falling and rising sizes, one at a time, and the most that was
// resident beyond what was before.
int64_t most_resident_over_sizes() {
  const int64_t before = resident_memory_bytes();
  int64_t most = 0;
  for (const double size : {64, 40, 24, 52, 16, 33, 60, 47}) {
    const at::Tensor tensor = megabytes(size).fill_(1);
    most = std::max(most, resident_memory_bytes() - before);
  }
  return most;
}

TEST_F(RecyclingAllocator, KeptBlocksDoNotRaiseThePeak) {
  // 64 MB are in use at most, all sizes together would be 336 MB.
  EXPECT_LE(most_resident_over_sizes(), int64_t{80} << 20);
}

TEST_F(RecyclingAllocator, WhatIsKeptCanBeGivenBack) {
  constexpr int64_t kMegabyte = int64_t{1} << 20;
  const at::Tensor held = torch::ones({3 * kMegabyte});
  { const at::Tensor freed = torch::ones({16 * kMegabyte}); }
  const int64_t before = resident_memory_bytes();
  release_recycled_memory();
  EXPECT_LE(resident_memory_bytes(), before - 48 * kMegabyte);
  EXPECT_EQ(held.sum().item<double>(), static_cast<double>(held.numel()));
}

TEST_F(RecyclingAllocator, ARefusedRequestChangesNothing) {
  EXPECT_THROW(torch::empty({int64_t{1} << 50}), std::bad_alloc);
  EXPECT_LE(most_resident_over_sizes(), int64_t{80} << 20);
}

}  // namespace
}  // namespace ordered_gnn::core
