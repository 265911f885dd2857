#include "core/io/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

bool try_lock(int descriptor, const std::filesystem::path& path) {
  while (::flock(descriptor, LOCK_EX | LOCK_NB) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno == EINTR) continue;
    fail_in(path, fmt::format("cannot be locked: {}",
                              std::generic_category().message(errno)));
  }
  return true;
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

bool LockedFile::open(const std::filesystem::path& path, int flags,
                      unsigned mode) {
  descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (descriptor_ < 0) {
    fail_in(path, fmt::format("cannot be opened: {}",
                              std::generic_category().message(errno)));
  }
  return try_lock(descriptor_, path);
}

}  // namespace ordered_gnn::core
