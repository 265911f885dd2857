#include "scale/spill/spill_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/magic.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "core/affixes.h"
#include "core/io/folder.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kPage = 4096;
// Of what the file grows by.
constexpr int64_t kStep = int64_t{64} << 20;
const std::string kPrefix = "ognn-spill.";
const std::string kSuffix = ".tmp";

int64_t whole_pages(int64_t bytes) {
  return (bytes + kPage - 1) / kPage * kPage;
}

// The process that a leftover is of; 0: it is no file of ours.
int64_t maker_of(const fs::path& file) {
  const std::string name = file.filename().string();
  std::string_view rest = name;
  if (!core::take_prefix(rest, kPrefix) || rest.size() <= kSuffix.size() ||
      rest.substr(rest.size() - kSuffix.size()) != kSuffix) {
    return 0;
  }
  const std::string digits(rest.substr(0, rest.size() - kSuffix.size()));
  if (digits.find_first_not_of("0123456789") != std::string::npos) return 0;
  return std::atoll(digits.c_str());
}

void remove_leftovers(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::path& entry : core::entries_if_any(folder)) {
    const int64_t maker = maker_of(entry);
    if (maker <= 0 || !fs::is_regular_file(entry, ignored)) continue;
    const bool lives =
        ::kill(static_cast<pid_t>(maker), 0) == 0 || errno == EPERM;
    if (!lives) fs::remove(entry, ignored);
  }
}

// A folder that is still to be made will be where the one around it is.
fs::path where_it_is(const fs::path& folder) {
  std::error_code failed;
  fs::path there = fs::absolute(folder, failed);
  while (!failed && !fs::exists(there, failed) && there.has_relative_path()) {
    there = there.parent_path();
  }
  return there;
}

int open_nameless(const fs::path& folder) {
  const int file = ::open(folder.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL &&
                    errno != ENOENT)) {
    return file;
  }
  const fs::path named =
      folder / fmt::format("{}{}{}", kPrefix, ::getpid(), kSuffix);
  const int other =
      ::open(named.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (other >= 0) ::unlink(named.c_str());
  return other;
}

[[noreturn]] void fail_full(const fs::path& folder, int64_t needed) {
  const int64_t left = free_disk_bytes(folder);
  fail_in(folder, fmt::format("the disk has no room for what does not fit into "
                              "memory: {} more are needed, {} are free; free "
                              "some, give another folder as --spill, or more "
                              "--memory",
                              bytes_text(needed), bytes_text(left)));
}

}  // namespace

int64_t free_disk_bytes(const fs::path& folder) {
  std::error_code failed;
  const fs::space_info space = fs::space(where_it_is(folder), failed);
  return failed ? -1 : static_cast<int64_t>(space.available);
}

uint64_t disk_number(const fs::path& folder) {
  struct stat about {};
  return ::stat(where_it_is(folder).c_str(), &about) == 0
             ? static_cast<uint64_t>(about.st_dev)
             : 0;
}

bool is_memory_folder(const fs::path& folder) {
  struct statfs about {};
  return ::statfs(folder.c_str(), &about) == 0 &&
         (about.f_type == TMPFS_MAGIC || about.f_type == RAMFS_MAGIC);
}

SpillFile::SpillFile(fs::path folder, int64_t bytes)
    : folder_(std::move(folder)) {
  std::error_code failed;
  fs::create_directories(folder_, failed);
  remove_leftovers(folder_);
  const int64_t left = free_disk_bytes(folder_);
  if (left >= 0 && left < bytes) fail_full(folder_, bytes);
  file_ = open_nameless(folder_);
  if (file_ < 0) {
    fail_in(folder_, fmt::format("no file can be made there for what does not "
                                 "fit into memory ({}); give another folder as "
                                 "--spill",
                                 std::strerror(errno)));
  }
}

SpillFile::~SpillFile() { ::close(file_); }

int64_t SpillFile::size() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return size_;
}

void SpillFile::grow(int64_t least) {
  const int64_t more = std::max(least, kStep);
  int status = 0;
  do {
    status = ::posix_fallocate(file_, size_, more);
  } while (status == EINTR);
  if (status == ENOSPC || status == EFBIG || status == EDQUOT) {
    fail_full(folder_, more);
  }
  if (status != 0) {
    fail_in(folder_, fmt::format("the file of what does not fit into memory "
                                 "cannot grow ({})",
                                 std::strerror(status)));
  }
  free_.emplace(size_, more);
  size_ += more;
}

int64_t SpillFile::take(int64_t bytes) {
  bytes = whole_pages(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  // The tightest: parts have blocks of about the same sizes, and the first
  // that fits would be cut again and again until it fits none.
  const auto fitting = [&] {
    auto best = free_.end();
    for (auto slot = free_.begin(); slot != free_.end(); ++slot) {
      if (slot->second < bytes) continue;
      if (best == free_.end() || slot->second < best->second) best = slot;
    }
    return best;
  };
  auto found = fitting();
  if (found == free_.end()) {
    grow(bytes);
    found = fitting();
  }
  const auto [offset, room] = *found;
  free_.erase(found);
  if (room > bytes) free_.emplace(offset + bytes, room - bytes);
  return offset;
}

void SpillFile::give_back(int64_t offset, int64_t bytes) {
  bytes = whole_pages(bytes);
  const std::lock_guard<std::mutex> lock(mutex_);
  auto after = free_.lower_bound(offset);
  if (after != free_.end() && after->first == offset + bytes) {
    bytes += after->second;
    after = free_.erase(after);
  }
  if (after != free_.begin()) {
    const auto before = std::prev(after);
    if (before->first + before->second == offset) {
      before->second += bytes;
      return;
    }
  }
  free_.emplace(offset, bytes);
}

void SpillFile::write(const void* from, int64_t bytes, int64_t offset) const {
  const char* place = static_cast<const char*>(from);
  while (bytes > 0) {
    const ssize_t done =
        ::pwrite(file_, place, static_cast<size_t>(bytes), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0 && (errno == ENOSPC || errno == EDQUOT)) {
      fail_full(folder_, bytes);
    }
    if (done <= 0) {
      fail_in(folder_, fmt::format("what does not fit into memory cannot be "
                                   "written ({})",
                                   std::strerror(errno)));
    }
    place += done;
    offset += done;
    bytes -= done;
  }
}

void SpillFile::read(void* to, int64_t bytes, int64_t offset) const {
  char* place = static_cast<char*>(to);
  while (bytes > 0) {
    const ssize_t done =
        ::pread(file_, place, static_cast<size_t>(bytes), offset);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) {
      fail_in(folder_,
              fmt::format("what was spilled there cannot be read again ({})",
                          done == 0 ? "the file ends" : std::strerror(errno)));
    }
    place += done;
    offset += done;
    bytes -= done;
  }
}

}  // namespace ordered_gnn::scale
