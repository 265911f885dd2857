#include "core/io/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <memory>
#include <thread>

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

TEST(FileLock, IsTakenOnceAndGoesWithItsDescriptor) {
  const TempDir dir;
  const int first = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
  const int second = ::open(dir.path().c_str(), O_RDONLY | O_DIRECTORY);
  EXPECT_TRUE(try_lock(first, dir.path()));
  EXPECT_FALSE(try_lock(second, dir.path()));
  ::close(first);
  EXPECT_TRUE(try_lock(second, dir.path()));
  ::close(second);
}

// A file system without locks must not be taken for a busy folder.
TEST(FileLock, ThatCannotBeHadIsNotSomebodyElses) {
  for (const auto take : {+[] { (void)try_lock(-1, "some/lock"); },
                          +[] { wait_for_lock(-1, "some/lock"); }}) {
    EXPECT_TRUE(contains(error_of(take), "some/lock: cannot be locked"));
  }
}

TEST(FileLock, IsWaitedFor) {
  const TempDir dir;
  auto first = std::make_unique<LockedFile>();
  first->open_in_turn(dir.path(), O_RDONLY | O_DIRECTORY);
  std::atomic<bool> given_up = false;
  std::thread second([&] {
    LockedFile file;
    file.open_in_turn(dir.path(), O_RDONLY | O_DIRECTORY);
    EXPECT_TRUE(given_up);
  });
  given_up = true;
  first.reset();
  second.join();
}

}  // namespace
}  // namespace ordered_gnn::core
