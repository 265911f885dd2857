#include "ordered_gnn/core/memory.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

namespace ordered_gnn::core {
namespace {

constexpr int64_t kMegabyte = int64_t{1} << 20;
// What else a process may take or give back meanwhile.
constexpr int64_t kNoise = 12 * kMegabyte;

// Pages straight from the system, written to: no allocator's stock hides what
// they take, and they are gone with the object.
class TouchedPages {
 public:
  explicit TouchedPages(int64_t bytes)
      : bytes_(static_cast<size_t>(bytes)),
        pages_(::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {
    if (pages_ != MAP_FAILED) std::memset(pages_, 1, bytes_);
  }
  ~TouchedPages() {
    if (pages_ != MAP_FAILED) ::munmap(pages_, bytes_);
  }
  TouchedPages(const TouchedPages&) = delete;
  TouchedPages& operator=(const TouchedPages&) = delete;

 private:
  const size_t bytes_;
  void* const pages_;
};

TEST(Memory, ResidentFollowsWhatIsTakenAndGivenBack) {
  const int64_t before = resident_memory_bytes();
  EXPECT_GT(before, kMegabyte);
  {
    const TouchedPages pages(64 * kMegabyte);
    const int64_t grown = resident_memory_bytes() - before;
    EXPECT_GE(grown, 64 * kMegabyte - kNoise);
    EXPECT_LE(grown, 64 * kMegabyte + kNoise);
  }
  EXPECT_LE(resident_memory_bytes() - before, kNoise);
}

TEST(Memory, ThePeakStaysAfterMemoryIsGivenBack) {
  const int64_t before = resident_memory_bytes();
  { const TouchedPages pages(64 * kMegabyte); }
  EXPECT_GE(peak_memory_bytes(), before + 64 * kMegabyte - kNoise);
}

TEST(Memory, AResetPeakCountsAnewFromWhatIsResident) {
  { const TouchedPages pages(64 * kMegabyte); }
  const int64_t high = peak_memory_bytes();
  if (!reset_peak_memory()) {
    EXPECT_GE(peak_memory_bytes(), high);
    GTEST_SKIP() << "this system does not let a process reset its peak";
  }
  const int64_t resident = resident_memory_bytes();
  EXPECT_LE(peak_memory_bytes(), resident + kNoise);
  { const TouchedPages pages(24 * kMegabyte); }
  EXPECT_GE(peak_memory_bytes(), resident + 24 * kMegabyte - kNoise);
  EXPECT_LE(peak_memory_bytes(), resident + 24 * kMegabyte + kNoise);
}

TEST(Memory, AvailableIsLessThanTheMachineHas) {
  const int64_t machine =
      static_cast<int64_t>(::sysconf(_SC_PHYS_PAGES)) * ::sysconf(_SC_PAGESIZE);
  EXPECT_GT(available_memory_bytes(), 0);
  EXPECT_LT(available_memory_bytes(), machine);
}

}  // namespace
}  // namespace ordered_gnn::core
