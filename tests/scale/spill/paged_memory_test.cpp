#include "scale/spill/paged_memory.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "ordered_gnn/core/memory.h"
#include "scale/spill/spill_file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kBlock = 1 << 20;

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

  TempDir dir_;
  scale::SpillFile file_;
};

TEST_F(PagedMemoryTest, KeepsTheBudgetAndEveryValue) {
  scale::PagedMemory memory(file_, settings(3, 4));
  memory.begin_pass(1);
  std::vector<at::Tensor> all;
  for (int64_t i = 0; i < 16; ++i) {
    memory.begin_turn(i % 4);
    all.push_back(block(memory, i % 4, static_cast<float>(i)));
  }
  EXPECT_LE(memory.counts().peak, 3 * kBlock);
  EXPECT_GE(memory.counts().written, 13 * kBlock);
  for (int64_t i = 0; i < 16; ++i) {
    EXPECT_EQ(all[i].min().item<float>(), static_cast<float>(i));
    EXPECT_EQ(all[i].max().item<float>(), static_cast<float>(i));
  }
  EXPECT_LE(memory.counts().peak, 3 * kBlock);
}

TEST_F(PagedMemoryTest, WritesAgainOnlyWhatWasChanged) {
  scale::PagedMemory memory(file_, settings(1, 1));
  memory.begin_pass(1);
  memory.begin_turn(0);
  const at::Tensor a = block(memory, 0, 1);
  const at::Tensor b = block(memory, 0, 2);
  EXPECT_EQ(a[5].item<float>(), 1);  // b goes out
  const int64_t written = memory.counts().written;
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(b[7].item<float>(), 2);
    EXPECT_EQ(a[7].item<float>(), 1);
  }
  EXPECT_EQ(memory.counts().written, written);
  a.fill_(3);
  EXPECT_EQ(b[7].item<float>(), 2);
  EXPECT_EQ(a[7].item<float>(), 3);
  EXPECT_EQ(memory.counts().written, written + kBlock);
}

TEST_F(PagedMemoryTest, ManyThreadsTouchTheSameBlocks) {
  scale::PagedMemory memory(file_, settings(2, 3));
  memory.begin_pass(1);
  std::vector<at::Tensor> all;
  for (int64_t i = 0; i < 6; ++i) {
    memory.begin_turn(i % 3);
    all.push_back(block(memory, i % 3, 0));
  }
  const auto count = [&](int64_t first) {
    for (int64_t round = 0; round < 40; ++round) {
      float* const values = all[(first + round) % 6].data_ptr<float>();
      for (int64_t i = first; i < kBlock / 4; i += 4 * 1024) ++values[i];
    }
  };
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) threads.emplace_back(count, t);
  for (std::thread& thread : threads) thread.join();
  double sum = 0;
  for (const at::Tensor& tensor : all) sum += tensor.sum().item<double>();
  EXPECT_EQ(sum, 4.0 * 40 * (kBlock / 4 / (4 * 1024)));
}

TEST_F(PagedMemoryTest, BlocksOutliveIt) {
  at::Tensor a, b;
  {
    scale::PagedMemory memory(file_, settings(1, 1));
    memory.begin_pass(1);
    memory.begin_turn(0);
    a = block(memory, 0, 4);
    b = block(memory, 0, 5);
  }
  EXPECT_EQ(a.sum().item<double>(), 4.0 * (kBlock / 4));
  b.add_(1);
  EXPECT_EQ(b[9].item<float>(), 6);
}

TEST_F(PagedMemoryTest, CopiesFromTheDiskWithoutBringingBack) {
  scale::PagedMemory memory(file_, settings(1, 2));
  memory.begin_pass(1);
  memory.begin_turn(0);
  const at::Tensor a = block(memory, 0, 8);
  memory.begin_turn(1);
  const at::Tensor b = block(memory, 1, 9);
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
  scale::PagedMemory memory(file_, settings(3, 4));
  std::vector<at::Tensor> own;
  memory.begin_pass(0);
  for (int64_t p = 0; p < 4; ++p) {
    memory.begin_turn(p);
    own.push_back(block(memory, p, static_cast<float>(p)));
    own.push_back(block(memory, p, -1));
  }
  const auto pass = [&] {
    memory.begin_pass(1);
    for (int64_t p = 0; p < 4; ++p) {
      memory.begin_turn(p);
      EXPECT_EQ(own[2 * p][0].item<float>(), static_cast<float>(p));
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
    }
  };
  pass();
  const int64_t before = memory.counts().waits;
  for (int round = 0; round < 4; ++round) pass();
  EXPECT_LT(memory.counts().waits - before, 4 * 4);
}

}  // namespace
}  // namespace ordered_gnn
