#include "data/fetch/part_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "core/io/file_lock.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

void make_folder_of(const fs::path& target) {
  if (!target.has_parent_path()) return;
  std::error_code failed;
  fs::create_directories(target.parent_path(), failed);
  if (failed) {
    fail_in(target.parent_path(),
            "the folder cannot be made: " + failed.message());
  }
}

}  // namespace

PartFile::PartFile(fs::path target)
    : target_(std::move(target)), path_(target_.string() + ".part") {
  make_folder_of(target_);
  descriptor_ =
      ::open(path_.c_str(),
             O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
  if (descriptor_ < 0) fail_with("cannot be written");
  try {
    size_ = locked_size();
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

int64_t PartFile::locked_size() const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0 || !S_ISREG(status.st_mode)) {
    fail_in(path_, "is not a regular file; delete it");
  }
  if (!core::try_lock(descriptor_, path_)) {
    fail_in(path_,
            "another process is downloading this file; wait for it or stop it");
  }
  return status.st_size;
}

PartFile::~PartFile() {
  if (size_ == 0 && !finished_) discard();
  ::close(descriptor_);
}

void PartFile::fail_with(const char* what) const {
  fail_in(path_,
          fmt::format("{}: {}", what, std::generic_category().message(errno)));
}

void PartFile::append(const char* data, size_t size) {
  while (size > 0) {
    const ssize_t count = ::write(descriptor_, data, size);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_with("writing stopped");
    data += count;
    size -= static_cast<size_t>(count);
    size_ += count;
  }
}

void PartFile::restart() {
  if (::ftruncate(descriptor_, 0) != 0) fail_with("cannot be emptied");
  size_ = 0;
}

void PartFile::commit() {
  if (::fsync(descriptor_) != 0) fail_with("writing stopped");
  std::error_code failed;
  fs::rename(path_, target_, failed);
  if (failed) {
    fail_in(target_, "cannot be put into place: " + failed.message());
  }
  finished_ = true;
}

void PartFile::discard() {
  std::error_code ignored;
  fs::remove(path_, ignored);
  finished_ = true;
}

}  // namespace ordered_gnn::data
