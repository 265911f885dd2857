#include "core/io/input_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

// Linux moves at most about 2 GiB per call; smaller steps are as fast.
constexpr size_t kMaxRead = size_t{1} << 30;

std::string reason(int code) { return std::generic_category().message(code); }

}  // namespace

InputFile::InputFile(const std::filesystem::path& path) : path_(path) {
  do {
    descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  } while (descriptor_ < 0 && errno == EINTR);
  if (descriptor_ < 0) {
    fail_in(path, errno == ENOENT ? "no such file; check the path"
                                  : "cannot be opened: " + reason(errno));
  }
  struct stat info {};
  const int status = ::fstat(descriptor_, &info);
  if (status != 0 || S_ISDIR(info.st_mode)) {
    const std::string why = status != 0
                                ? "cannot be opened: " + reason(errno)
                                : "is a folder; give the path of a file";
    ::close(descriptor_);
    fail_in(path, why);
  }
  size_ = S_ISREG(info.st_mode) ? static_cast<int64_t>(info.st_size) : 0;
}

InputFile::~InputFile() { ::close(descriptor_); }

size_t InputFile::read_some(void* data, size_t size) {
  for (;;) {
    const ssize_t count = ::read(descriptor_, data, std::min(size, kMaxRead));
    if (count >= 0) return static_cast<size_t>(count);
    if (errno != EINTR) fail_in(path_, "cannot be read: " + reason(errno));
  }
}

void InputFile::read_at(int64_t offset, void* data, size_t size) const {
  char* out = static_cast<char*>(data);
  while (size > 0) {
    const ssize_t count =
        ::pread(descriptor_, out, std::min(size, kMaxRead), offset);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_in(path_, "cannot be read: " + reason(errno));
    if (count == 0) {
      fail_in(path_, fmt::format("ended at byte {} with {} bytes still "
                                 "expected; was it changed while being read?",
                                 offset, size));
    }
    out += count;
    offset += count;
    size -= static_cast<size_t>(count);
  }
}

}  // namespace ordered_gnn::core
