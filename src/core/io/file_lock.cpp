#include "core/io/file_lock.h"

#include <fmt/format.h>
#include <sys/file.h>

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

}  // namespace ordered_gnn::core
