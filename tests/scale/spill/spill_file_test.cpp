#include "scale/spill/spill_file.h"

#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "scale/spill/spill_estimate.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

int64_t entries_in(const std::filesystem::path& folder) {
  return std::distance(std::filesystem::directory_iterator(folder), {});
}

TEST(SpillFile, GivesBackWhatWasWritten) {
  const TempDir dir;
  scale::SpillFile file(dir / "a/b", 1 << 20);
  const std::vector<char> one(100'000, 'x'), other(5'000, 'y');
  const int64_t first = file.take(100'000), second = file.take(5'000);
  EXPECT_GE(second, first + 100'000);
  file.write(one.data(), 100'000, first);
  file.write(other.data(), 5'000, second);
  std::vector<char> back(100'000);
  file.read(back.data(), 100'000, first);
  EXPECT_EQ(back, one);
  back.resize(5'000);
  file.read(back.data(), 5'000, second);
  EXPECT_EQ(back, other);
}

TEST(SpillFile, TakesSlotsAgain) {
  const TempDir dir;
  scale::SpillFile file(dir.path(), 0);
  const int64_t a = file.take(8192), b = file.take(4096), c = file.take(4096);
  const int64_t size = file.size();
  file.give_back(a, 8192);
  file.give_back(c, 4096);
  file.give_back(b, 4096);
  EXPECT_EQ(file.take(16384), a);
  EXPECT_EQ(file.size(), size);
}

TEST(SpillFile, TakesTheTightestSlot) {
  const TempDir dir;
  scale::SpillFile file(dir.path(), 0);
  const int64_t large = file.take(16384);
  file.take(4096);
  const int64_t small = file.take(8192);
  file.take(4096);
  file.give_back(large, 16384);
  file.give_back(small, 8192);
  EXPECT_EQ(file.take(8192), small);
  EXPECT_EQ(file.take(16384), large);
}

TEST(SpillFile, KnowsTheDiskOfAFolderThatIsStillToBeMade) {
  const TempDir dir;
  EXPECT_GT(scale::free_disk_bytes(dir / "a" / "b"), 0);
  EXPECT_FALSE(std::filesystem::exists(dir / "a"));
}

TEST(SpillFile, HasNoNameAndRemovesWhatDeadProcessesLeft) {
  const TempDir dir;
  // No process has the largest number.
  const auto touch = [&](const std::string& name) {
    std::ofstream(dir / name) << "x";
  };
  touch("ognn-spill.2147483646.tmp");
  touch("ognn-spill.1.tmp");  // lives
  touch("ognn-spill.12x.tmp");
  touch("mine.tmp");
  scale::SpillFile file(dir.path(), 0);
  file.take(1 << 20);
  EXPECT_FALSE(std::filesystem::exists(dir / "ognn-spill.2147483646.tmp"));
  EXPECT_EQ(entries_in(dir.path()), 3);
}

TEST(SpillFile, NamesADiskThatIsTooSmall) {
  const TempDir dir;
  const std::string message =
      error_of([&] { scale::SpillFile(dir.path(), int64_t{1} << 60); });
  EXPECT_TRUE(contains(message, dir.path().string())) << message;
  EXPECT_TRUE(contains(message, "1152921504.6 GB more are needed")) << message;
  EXPECT_TRUE(contains(message, "are free")) << message;
  scale::SpillFile file(dir.path(), 0);
  EXPECT_TRUE(contains(error_of([&] { file.take(int64_t{1} << 50); }),
                       "the disk has no room"));
  // It goes on with what there is.
  EXPECT_EQ(error_of([&] { file.take(4096); }), "");
}

TEST(SpillFile, NamesAFolderThatCannotBe) {
  const TempDir dir;
  std::ofstream(dir / "file") << "x";
  EXPECT_TRUE(contains(error_of([&] { scale::SpillFile(dir / "file", 0); }),
                       "no file can be made there"));
}

TEST(SpillFile, NamesWhatCannotBeReadAgain) {
  const TempDir dir;
  const scale::SpillFile file(dir.path(), 0);
  char byte = 0;
  EXPECT_TRUE(contains(error_of([&] { file.read(&byte, 1, 1 << 20); }),
                       "cannot be read again (the file ends)"));
}

TEST(MemoryLimit, IsReadInBothWays) {
  EXPECT_EQ(scale::parse_memory_limit("16GiB"), int64_t{16} << 30);
  EXPECT_EQ(scale::parse_memory_limit("1.5MiB"), 3 << 19);
  EXPECT_EQ(scale::parse_memory_limit("800MB"), 800'000'000);
  EXPECT_EQ(scale::parse_memory_limit("4G"), 4'000'000'000);
  EXPECT_EQ(scale::parse_memory_limit("12345"), 12345);
  for (const char* wrong : {"", "GiB", "-4G", "4X", "4GiBi", "1e30", "nan"}) {
    EXPECT_TRUE(contains(error_of([&] { scale::parse_memory_limit(wrong); }),
                         "--memory takes a size such as 16GiB"))
        << wrong;
  }
}

}  // namespace
}  // namespace ordered_gnn
