#include "core/io/temporary_file.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;

// The number of a process that has ended.
pid_t ended_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

class Leftovers : public testing::Test {
 protected:
  std::string make(const std::string& name) {
    write_text(dir_ / name, "x");
    return name;
  }
  std::vector<std::string> names() const {
    std::vector<std::string> names = dir_.names();
    std::sort(names.begin(), names.end());
    return names;
  }

  TempDir dir_;
};

TEST_F(Leftovers, OfProcessesThatEndedAreDeleted) {
  const std::string pid = std::to_string(ended_process());
  make(".pred.csv." + pid + "-0.tmp");
  make(".a.b." + pid + "-4294967295.tmp");
  remove_leftovers(dir_.path());
  EXPECT_TRUE(names().empty());
}

TEST_F(Leftovers, OfProcessesThatRunAreKept) {
  AtomicFile mine(dir_ / "mine.csv");
  const std::string other =
      make(".pred.csv." + std::to_string(::getppid()) + "-0.tmp");
  remove_leftovers(dir_.path());
  EXPECT_TRUE(fs::exists(dir_ / other));
  mine.commit();
  EXPECT_TRUE(fs::exists(dir_ / "mine.csv"));
}

// A container gives its processes the same numbers again and again.
TEST_F(Leftovers, OfAnEarlierProcessWithOurNumberAreDeleted) {
  make(".pred.csv." + std::to_string(::getpid()) + "-4000000000.tmp");
  remove_leftovers(dir_.path());
  EXPECT_TRUE(names().empty());
}

TEST_F(Leftovers, AreNothingElse) {
  const std::string pid = std::to_string(ended_process());
  std::vector<std::string> kept;
  for (const std::string& name :
       {"pred.csv." + pid + "-0.tmp", ".pred.csv." + pid + "-0.tmp~",
        ".pred.csv." + pid + ".tmp", ".pred.csv." + pid + "-.tmp",
        ".pred.csv.-" + pid + "-0.tmp", "." + pid + "-0.tmp",
        ".pred.csv." + pid + "x-0.tmp", std::string(".pred.csv.0-0.tmp"),
        std::string(".notes.tmp"), std::string("pred.csv")}) {
    kept.push_back(make(name));
    EXPECT_FALSE(is_temporary(name)) << name;
  }
  fs::create_directory(dir_ / (".folder." + pid + "-0.tmp"));
  fs::create_symlink("pred.csv", dir_ / (".link." + pid + "-0.tmp"));
  const size_t before = names().size();
  remove_leftovers(dir_.path());
  EXPECT_EQ(names().size(), before);
  remove_leftovers(dir_ / "never was there");
}

TEST_F(Leftovers, OfOneTargetAreFoundByItsName) {
  const std::string pid = std::to_string(ended_process());
  make(".a.csv." + pid + "-0.tmp");
  const std::string other = make(".ba.csv." + pid + "-0.tmp");
  const std::string longest(255, 'n');
  make("." + longest.substr(0, 200) + "." + pid + "-1.tmp");
  remove_leftovers(dir_.path(), "a.csv");
  remove_leftovers(dir_.path(), longest);
  EXPECT_EQ(names(), std::vector<std::string>{other});
}

TEST(TemporaryBeside, IsAlwaysNewAndKnownForWhatItIs) {
  const fs::path first = temporary_beside("folder/x.csv");
  EXPECT_EQ(first.parent_path(), "folder");
  EXPECT_TRUE(is_temporary(first));
  EXPECT_NE(first, temporary_beside("folder/x.csv"));
  EXPECT_EQ(temporary_beside("x.csv").parent_path(), "");
}

}  // namespace
}  // namespace ordered_gnn::core
