#undef _FORTIFY_SOURCE
#include "faults/fault_plan.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ordered_gnn::faults {
namespace {

constexpr size_t kLarge = size_t{1} << 20;

using Path = char[2 * PATH_MAX];

struct Plan {
  const char* root = nullptr;  // null: no call counts
  size_t root_length = 0;
  const char* kinds = "";
  int log = -1;
  int64_t at = 0;
  int error = 0;
  bool is_short = false;
  bool is_kill = false;
};

Plan plan;
std::atomic<int64_t> num_calls{0};
std::atomic<bool> is_begun{false};

const char* setting(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

__attribute__((constructor)) void read_plan() {
  const char* const root = setting("OGNN_FAULT_ROOT");
  if (*root == '\0') return;
  const char* const how = setting("OGNN_FAULT_HOW");
  plan.root_length = std::strlen(root);
  plan.kinds = setting("OGNN_FAULT_KINDS");
  plan.at = std::strtoll(setting("OGNN_FAULT_AT"), nullptr, 10);
  plan.error = static_cast<int>(std::strtol(how, nullptr, 10));
  plan.is_short = std::strcmp(how, "short") == 0;
  plan.is_kill = std::strcmp(how, "kill") == 0;
  plan.log = static_cast<int>(
      ::syscall(SYS_openat, AT_FDCWD, setting("OGNN_FAULT_LOG"),
                O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666));
  plan.root = root;
}

bool counts_kind(const char* kind) {
  if (*plan.kinds == '\0') return true;
  const size_t length = std::strlen(kind);
  for (const char* word = plan.kinds; word != nullptr;) {
    const char* const end = std::strchr(word, ',');
    const size_t size = end == nullptr ? std::strlen(word) : end - word;
    if (size == length && std::strncmp(word, kind, size) == 0) return true;
    word = end == nullptr ? nullptr : end + 1;
  }
  return false;
}

// Numbers a call, and says whether it is the one.
bool is_chosen(const char* kind, const char* what) {
  if (!counts_kind(kind)) return false;
  const int before = errno;
  const int64_t number = ++num_calls;
  const bool chosen = number == plan.at;
  char line[sizeof(Path) + 64];
  const int length =
      std::snprintf(line, sizeof(line), "%s%lld %s %s\n", chosen ? "!" : "",
                    static_cast<long long>(number), kind, what);
  ::syscall(SYS_write, plan.log, line,
            std::min<size_t>(length, sizeof(line) - 1));
  if (chosen && plan.is_kill) {
    ::syscall(SYS_kill, ::syscall(SYS_getpid), SIGKILL);
  }
  errno = before;
  return chosen;
}

bool is_below_root(const char* path) {
  if (std::strncmp(path, plan.root, plan.root_length) != 0) return false;
  const char next = path[plan.root_length];
  if (next != '\0' && next != '/') return false;
  is_begun = true;
  return true;
}

void path_of(int descriptor, Path& path) {
  char link[64];
  std::snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
  const int before = errno;
  const int64_t length =
      ::syscall(SYS_readlinkat, AT_FDCWD, link, path, PATH_MAX);
  errno = before;
  path[std::max<int64_t>(length, 0)] = '\0';
}

void path_from(int folder, const char* name, Path& path) {
  path[0] = '\0';
  if (name[0] != '/' && folder == AT_FDCWD) {
    ::syscall(SYS_getcwd, path, PATH_MAX);
  } else if (name[0] != '/') {
    path_of(folder, path);
  }
  if (std::strncmp(name, "./", 2) == 0) name += 2;
  const size_t used = std::strlen(path);
  std::snprintf(path + used, sizeof(path) - used, "%s%s", used > 0 ? "/" : "",
                name);
}

bool fails_with_error(const char* kind, const char* what) {
  if (!is_chosen(kind, what)) return false;
  errno = plan.error;
  return true;
}

}  // namespace

bool fails(const char* kind, int descriptor) {
  if (plan.root == nullptr) return false;
  Path path;
  path_of(descriptor, path);
  return is_below_root(path) && fails_with_error(kind, path);
}

bool fails_at(const char* kind, int folder, const char* name) {
  if (plan.root == nullptr || name == nullptr) return false;
  Path path;
  path_from(folder, name, path);
  return is_below_root(path) && fails_with_error(kind, path);
}

int64_t granted(const char* kind, int descriptor, size_t size) {
  const auto whole = static_cast<int64_t>(size);
  if (plan.root == nullptr) return whole;
  Path path;
  path_of(descriptor, path);
  if (!is_below_root(path) || !is_chosen(kind, path)) return whole;
  if (plan.is_short) return std::min<int64_t>(whole, 1);
  errno = plan.error;
  return -1;
}

bool fails_for_memory(size_t size) {
  if (size < kLarge || plan.root == nullptr || !is_begun) return false;
  char what[32];
  std::snprintf(what, sizeof(what), "%zu bytes", size);
  return fails_with_error("memory", what);
}

}  // namespace ordered_gnn::faults
