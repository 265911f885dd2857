#include "core/io/file_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

namespace {

// Whether the lock was had; `how` beside LOCK_EX.
bool lock(int descriptor, const std::filesystem::path& path, int how) {
  while (::flock(descriptor, LOCK_EX | how) != 0) {
    if (errno == EWOULDBLOCK) return false;
    if (errno == EINTR) continue;
    fail_in(path, fmt::format("cannot be locked: {}",
                              std::generic_category().message(errno)));
  }
  return true;
}

}  // namespace

bool try_lock(int descriptor, const std::filesystem::path& path) {
  return lock(descriptor, path, LOCK_NB);
}

void wait_for_lock(int descriptor, const std::filesystem::path& path) {
  lock(descriptor, path, 0);
}

LockedFile::~LockedFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void LockedFile::open_unlocked(const std::filesystem::path& path, int flags,
                               unsigned mode) {
  descriptor_ = ::open(path.c_str(), flags | O_CLOEXEC, mode);
  if (descriptor_ < 0) {
    fail_in(path, fmt::format("cannot be opened: {}",
                              std::generic_category().message(errno)));
  }
}

bool LockedFile::open(const std::filesystem::path& path, int flags,
                      unsigned mode) {
  open_unlocked(path, flags, mode);
  return try_lock(descriptor_, path);
}

void LockedFile::open_in_turn(const std::filesystem::path& path, int flags,
                              unsigned mode) {
  open_unlocked(path, flags, mode);
  wait_for_lock(descriptor_, path);
}

}  // namespace ordered_gnn::core
