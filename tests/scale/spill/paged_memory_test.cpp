#include "scale/spill/paged_memory.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <chrono>
#include <cstdint>
#include <thread>

#include "ordered_gnn/core/memory.h"
#include "scale/spill/spill_file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kBlock = 1 << 16;
// More than stay because they were touched last.
constexpr int64_t kFew = 12;

class PagedMemoryTest : public ::testing::Test {
 protected:
  PagedMemoryTest() : file_(dir_ / "spill", 0) { use_recycling_allocator(); }

  scale::PagedMemory::Settings settings(int64_t blocks, int64_t parts) {
    scale::PagedMemory::Settings settings;
    settings.budget = blocks * kBlock;
    settings.parts = parts;
    settings.least_block = 1;
    return settings;
  }

  // A block of a part, all of one value.
  static at::Tensor block(scale::PagedMemory& memory, int64_t part,
                          float value) {
    const scale::PagedMemory::Scope scope(memory, part);
    return torch::full({kBlock / 4}, value);
  }

  // Blocks of `parts` parts in turn, each all of its number.
  static std::vector<at::Tensor> numbered_blocks(scale::PagedMemory& memory,
                                                 int64_t count, int64_t parts) {
    memory.begin_pass(1);
    std::vector<at::Tensor> all;
    for (int64_t i = 0; i < count; ++i) {
      memory.begin_turn(i % parts);
      all.push_back(block(memory, i % parts, static_cast<float>(i)));
    }
    return all;
  }

  TempDir dir_;
  scale::SpillFile file_;
};

TEST_F(PagedMemoryTest, KeepsTheBudgetAndEveryValue) {
  scale::PagedMemory memory(file_, settings(kFew, 4));
  const std::vector<at::Tensor> all = numbered_blocks(memory, 40, 4);
  EXPECT_LE(memory.counts().peak, kFew * kBlock);
  EXPECT_GE(memory.counts().written, (40 - kFew) * kBlock);
  for (int64_t i = 0; i < 40; ++i) {
    EXPECT_EQ(all[i].min().item<float>(), static_cast<float>(i));
    EXPECT_EQ(all[i].max().item<float>(), static_cast<float>(i));
  }
  EXPECT_LE(memory.counts().peak, kFew * kBlock);
}

// Large pages are moved as they are where both ends begin at their bounds.
TEST_F(PagedMemoryTest, KeepsLargeBlocksAtBoundsOfLargePages) {
  constexpr int64_t kLarge = int64_t{1} << 21;
  constexpr int64_t kNumbers = (kLarge + kLarge / 2 + 12345) / 4;
  scale::PagedMemory::Settings large = settings(0, 1);
  large.budget = 10 * kLarge;
  scale::PagedMemory memory(file_, large);
  memory.begin_pass(1);
  memory.begin_turn(0);
  std::vector<at::Tensor> all;
  for (int64_t i = 0; i < 20; ++i) {
    const scale::PagedMemory::Scope scope(memory, 0);
    all.push_back(torch::arange(i, i + kNumbers, torch::kInt));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(all.back().data_ptr()) % kLarge, 0u);
  }
  EXPECT_GT(memory.counts().written, 0);
  for (int64_t i = 0; i < 20; ++i) {
    EXPECT_TRUE(all[i].equal(torch::arange(i, i + kNumbers, torch::kInt)));
  }
  EXPECT_GT(memory.counts().read, 0);
}

// Pages of what gives way are taken by what comes, cut to its size.
TEST_F(PagedMemoryTest, KeepsEveryValueOfBlocksOfManySizes) {
  constexpr int64_t kBlocks = 60, kBudget = 24 * kBlock;
  scale::PagedMemory memory(file_, settings(24, 3));
  memory.begin_pass(1);
  std::vector<at::Tensor> all;
  const auto value_of = [](int64_t i, int64_t round) {
    return static_cast<float>(1000 * round + i);
  };
  for (int64_t i = 0; i < kBlocks; ++i) {
    memory.begin_turn(i % 3);
    const scale::PagedMemory::Scope scope(memory, i % 3);
    all.push_back(torch::full({(1 + i % 4) * kBlock / 8 + 1000 * (i % 5)},
                              value_of(i, 0)));
  }
  for (int64_t round = 0; round < 5; ++round) {
    for (int64_t k = 0; k < kBlocks; ++k) {
      const int64_t i = (k * 37 + round * 11) % kBlocks;
      EXPECT_EQ(all[i].min().item<float>(), value_of(i, round));
      EXPECT_EQ(all[i].max().item<float>(), value_of(i, round));
      all[i].fill_(value_of(i, round + 1));
      // One goes, and another of its size comes in its place.
      if (k % 7 != 0) continue;
      const scale::PagedMemory::Scope scope(memory, i % 3);
      all[i] = all[i].clone();
    }
    EXPECT_LE(memory.counts().peak, kBudget);
    EXPECT_LE(memory.counts().resident, kBudget);
  }
  all.clear();
  EXPECT_GT(memory.counts().read, kBudget);
}

TEST_F(PagedMemoryTest, WritesAgainOnlyWhatWasChanged) {
  scale::PagedMemory memory(file_, settings(kFew, 1));
  memory.begin_pass(1);
  memory.begin_turn(0);
  std::vector<at::Tensor> all;
  for (int64_t i = 0; i < 2 * kFew; ++i) {
    all.push_back(block(memory, 0, static_cast<float>(i)));
  }
  const auto read_all = [&] {
    for (int64_t i = 0; i < 2 * kFew; ++i) {
      EXPECT_EQ(all[i][5].item<float>(), static_cast<float>(i));
    }
  };
  read_all();
  const int64_t written = memory.counts().written;
  const int64_t read = memory.counts().read;
  EXPECT_GE(written, kFew * kBlock);
  read_all();
  EXPECT_EQ(memory.counts().written, written);
  EXPECT_GT(memory.counts().read, read);
  all[0].fill_(0);
  read_all();
  read_all();
  EXPECT_EQ(memory.counts().written, written + kBlock);
}

TEST_F(PagedMemoryTest, ManyThreadsTouchTheSameBlocks) {
  scale::PagedMemory memory(file_, settings(kFew, 3));
  const std::vector<at::Tensor> all = numbered_blocks(memory, 30, 3);
  const auto count = [&](int64_t first) {
    for (int64_t round = 0; round < 90; ++round) {
      float* const values = all[(7 * first + round) % 30].data_ptr<float>();
      for (int64_t i = first; i < kBlock / 4; i += 64) ++values[i];
    }
  };
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) threads.emplace_back(count, t);
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const at::Tensor& tensor : all) sum += tensor.sum().item<double>();
  const int64_t counted = kBlock / 4 / 64;
  const int64_t numbers = 30 * 29 / 2 * (kBlock / 4);
  EXPECT_EQ(sum, static_cast<double>(numbers + 4 * 90 * counted));
  EXPECT_GT(memory.counts().waits, 30);
}

TEST_F(PagedMemoryTest, BlocksOutliveIt) {
  std::vector<at::Tensor> all;
  {
    scale::PagedMemory memory(file_, settings(kFew, 1));
    memory.begin_pass(1);
    memory.begin_turn(0);
    for (int64_t i = 0; i < 2 * kFew; ++i) {
      all.push_back(block(memory, 0, static_cast<float>(i)));
    }
  }
  for (int64_t i = 0; i < 2 * kFew; ++i) {
    all[i].add_(1);
    EXPECT_EQ(all[i][9].item<float>(), static_cast<float>(i + 1));
  }
}

TEST_F(PagedMemoryTest, CopiesFromTheDiskWithoutBringingBack) {
  scale::PagedMemory memory(file_, settings(kFew, 2));
  memory.begin_pass(1);
  memory.begin_turn(0);
  const at::Tensor a = block(memory, 0, 8);
  memory.begin_turn(1);
  const at::Tensor b = block(memory, 1, 9);
  std::vector<at::Tensor> more;
  for (int64_t i = 0; i < kFew; ++i) more.push_back(block(memory, 1, 0));
  ASSERT_TRUE(memory.is_on_disk(a.data_ptr()));
  float values[3] = {};
  memory.copy(a.data_ptr<float>() + 11, sizeof(values), values);
  EXPECT_EQ(values[2], 8);
  EXPECT_TRUE(memory.is_on_disk(a.data_ptr()));
  memory.copy(b.data_ptr<float>() + 11, sizeof(values), values);
  EXPECT_EQ(values[0], 9);
}

TEST_F(PagedMemoryTest, OneAtATime) {
  const scale::PagedMemory memory(file_, settings(1, 1));
  EXPECT_TRUE(contains(
      error_of([&] { scale::PagedMemory other(file_, settings(1, 1)); }),
      "one run at a time"));
}

// Another part touches what those before it did, which is there by then.
TEST_F(PagedMemoryTest, ReadsAheadWhatPartsBeforeHaveTouched) {
  constexpr int64_t kParts = 6, kOfPart = 6;
  scale::PagedMemory memory(file_, settings(2 * kFew, kParts));
  std::vector<at::Tensor> own;
  memory.begin_pass(0);
  for (int64_t p = 0; p < kParts; ++p) {
    memory.begin_turn(p);
    for (int64_t i = 0; i < kOfPart; ++i) own.push_back(block(memory, p, 1));
  }
  const auto pass = [&] {
    memory.begin_pass(1);
    for (int64_t p = 0; p < kParts; ++p) {
      memory.begin_turn(p);
      for (int64_t i = 0; i < kOfPart; ++i) {
        EXPECT_EQ(own[kOfPart * p + i][0].item<float>(), 1);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  };
  pass();
  const int64_t before = memory.counts().waits;
  for (int round = 0; round < 4; ++round) pass();
  EXPECT_LT(memory.counts().waits - before, 4 * kParts * kOfPart);
}

}  // namespace
}  // namespace ordered_gnn
