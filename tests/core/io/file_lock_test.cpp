#include "core/io/file_lock.h"

#include <fcntl.h>
#include <unistd.h>

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
  const std::string message = error_of([] { try_lock(-1, "some/lock"); });
  EXPECT_TRUE(contains(message, "some/lock: cannot be locked"));
}

}  // namespace
}  // namespace ordered_gnn::core
