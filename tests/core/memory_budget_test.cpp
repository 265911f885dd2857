#include "ordered_gnn/core/memory_budget.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <fstream>
#include <limits>
#include <thread>

#include "ordered_gnn/core/memory.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/sanitized.h"

namespace ordered_gnn::core {
namespace {

constexpr int64_t kMiB = int64_t{1} << 20;

TEST(MemoryBudget, ReadsSizes) {
  EXPECT_EQ(parse_memory_size("2500000000"), 2500000000);
  EXPECT_EQ(parse_memory_size("3k"), 3000);
  EXPECT_EQ(parse_memory_size("800M"), 800000000);
  EXPECT_EQ(parse_memory_size("1.5G"), 1500000000);
  EXPECT_EQ(parse_memory_size("2T"), 2000000000000);
  for (const char* const wrong :
       {"", "G", "-1G", "4X", "4GB", "0", "nan", "inf", "1e30", "4 G"}) {
    EXPECT_TRUE(contains(error_of([&] { parse_memory_size(wrong); }),
                         "--max-memory takes a size such as 800M or 4G"))
        << wrong;
  }
}

TEST(MemoryBudget, RefusesWhatIsNotLeftAndNamesPlaceNumberAndOption) {
  const LittleMemory little(64 * kMiB);
  EXPECT_EQ(error_of([] { require_memory(2 * kMiB, "a.npz", "x"); }), "");
  const std::string refused =
      error_of([] { require_memory(2400000000, "a.npz", "the array 'x'"); });
  EXPECT_TRUE(contains(refused,
                       "a.npz: the array 'x' takes 2.4 GB, but "
                       "--max-memory "));
  EXPECT_TRUE(contains(refused, " leaves "));
  EXPECT_TRUE(contains(refused, "raise --max-memory"));
}

TEST(MemoryBudget, WithoutALimitAsksWhatIsFree) {
  const int64_t all = std::numeric_limits<int64_t>::max() / 2;
  const std::string refused =
      error_of([&] { require_memory(all, "a.npz", "it"); });
  EXPECT_TRUE(contains(refused, " is free; use a machine with more memory"));
  EXPECT_TRUE(contains(refused, "--max-memory"));
}

TEST(MemoryBudget, DoesNotAskForSmallPieces) {
  const MemoryScope none(1);
  EXPECT_EQ(memory_left(1).bytes, 0);
  EXPECT_NO_THROW(require_memory(kLargeMemory - 1, "a", "b"));
  EXPECT_THROW(require_memory(kLargeMemory, "a", "b"), Error);
}

TEST(MemoryBudget, ScopesNestOnTheirThreadOverTheProcess) {
  const auto limit = [] { return memory_left(0).max_memory; };
  set_max_memory(5000);
  {
    const MemoryScope outer(4000);
    {
      const MemoryScope as_outside(0);
      EXPECT_EQ(limit(), 4000);
      const MemoryScope inner(3000);
      EXPECT_EQ(limit(), 3000);
    }
    EXPECT_EQ(limit(), 4000);
    int64_t elsewhere = 0;
    std::thread([&] { elsewhere = limit(); }).join();
    EXPECT_EQ(elsewhere, 5000);
  }
  EXPECT_EQ(limit(), 5000);
  set_max_memory(0);
  EXPECT_EQ(limit(), 0);
}

// As `ulimit -v` does.
TEST(MemoryBudget, CountsTheAddressesThatAreLeft) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer takes all addresses";
  std::ifstream pages_file("/proc/self/statm");
  int64_t pages = 0;
  ASSERT_TRUE(pages_file >> pages);
  struct rlimit before {};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  struct rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(pages * 4096 + 256 * kMiB);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  const int64_t left = available_memory_bytes();
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_LE(left, 257 * kMiB);
  EXPECT_GT(left, 0);
}

}  // namespace
}  // namespace ordered_gnn::core
