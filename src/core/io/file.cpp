#include "core/io/file.h"

#include <fcntl.h>
#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <system_error>
#include <vector>

#include "core/io/input_file.h"
#include "core/io/temporary_file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

namespace fs = std::filesystem;

constexpr size_t kBufferSize = size_t{1} << 18;

// A link is written through, so that the file it points to is replaced rather
// than the link.
fs::path checked_target(fs::path target) {
  std::error_code ignored;
  if (fs::is_symlink(target, ignored)) target = fs::weakly_canonical(target);
  if (!target.has_filename()) {
    fail("'{}' names no file; give the path of a file", target.string());
  }
  const fs::file_status status = fs::status(target, ignored);
  if (fs::is_directory(status)) {
    fail_in(target, "cannot be written: it is a folder");
  }
  if (fs::exists(status) && !fs::is_regular_file(status)) {
    fail_in(target,
            "cannot be written: it is a pipe, socket or device and not a "
            "regular file; give the name of a file");
  }
  return target;
}

fs::path folder_of(const fs::path& target) {
  return target.has_parent_path() ? target.parent_path() : fs::path(".");
}

std::string explain(int code) {
  if (code == ENOSPC) return "the disk is full";
  if (code == EDQUOT) return "the disk is full for this user (quota reached)";
  if (code == EFBIG) return "the disk is full (file size limit reached)";
  return std::generic_category().message(code);
}

}  // namespace

std::string read_file(const fs::path& path, int64_t max_bytes) {
  InputFile file(path);
  const auto refuse = [&](int64_t size) {
    fail_in(path, fmt::format("has {} bytes or more, at most {} are read here",
                              size, max_bytes));
  };
  if (file.size() > max_bytes) refuse(file.size());
  require_memory(file.size(), path.string(), "its content");
  // A pipe or a file under /proc states no size: read until the end and only
  // then believe it.
  std::string content(static_cast<size_t>(file.size()), '\0');
  size_t used = 0;
  for (;;) {
    if (used == content.size()) {
      char more;
      if (file.read_some(&more, 1) == 0) break;
      content.push_back(more);
      ++used;
      content.resize(used + std::max(used, kBufferSize));
    } else {
      const size_t count =
          file.read_some(content.data() + used, content.size() - used);
      if (count == 0) break;
      used += count;
    }
    if (static_cast<int64_t>(used) > max_bytes) {
      refuse(static_cast<int64_t>(used));
    }
  }
  content.resize(used);
  return content;
}

struct AtomicFile::State {
  explicit State(fs::path path) : target(checked_target(std::move(path))) {
    // The name of a process that died may come back with its number.
    for (int attempt = 0; attempt < 1000 && descriptor < 0; ++attempt) {
      temporary = temporary_beside(target);
      descriptor = ::open(temporary.c_str(),
                          O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
      if (descriptor < 0 && errno != EEXIST && errno != EINTR) break;
    }
    if (descriptor < 0) {
      fail_in(target, fmt::format("cannot be written: {} '{}': {}",
                                  errno == ENOENT ? "no folder" : "folder",
                                  folder_of(target).string(), explain(errno)));
    }
    buffer.reserve(kBufferSize);
  }

  ~State() { discard(); }

  void discard() {
    if (descriptor < 0) return;
    ::close(descriptor);
    ::unlink(temporary.c_str());
    descriptor = -1;
  }

  [[noreturn]] void abandon(int code) {
    discard();
    std::error_code ignored;
    fail_in(target, fmt::format("writing stopped after {} bytes: {}; {}",
                                written, explain(code),
                                fs::exists(target, ignored)
                                    ? "the previous file is unchanged"
                                    : "nothing was left behind"));
  }

  void require_open() const {
    if (descriptor < 0) {
      fail_in(target, "is already committed or failed; start a new AtomicFile");
    }
  }

  // The number of the error, 0 for none. Pieces are put by several threads.
  int put_at(int64_t offset, const char* data, int64_t size) const {
    while (size > 0) {
      const ssize_t count =
          ::pwrite(descriptor, data, static_cast<size_t>(size), offset);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) return errno;
      data += count;
      offset += count;
      size -= count;
    }
    return 0;
  }

  // The first error in the order of the file, whichever came first.
  int put_pieces(const char* data, int64_t size) const {
    constexpr int64_t kPiece = AtomicFile::kPieceBytes;
    const int64_t end = position + size;
    const int64_t first = position / kPiece;
    const int64_t count = (end - 1) / kPiece - first + 1;
    std::vector<int> codes(static_cast<size_t>(count), 0);
    std::atomic<bool> failed{false};
    parallel_blocks(count, [&](int64_t i) {
      if (failed) return;
      const int64_t from = std::max(position, (first + i) * kPiece);
      const int64_t to = std::min(end, (first + i + 1) * kPiece);
      int& code = codes[static_cast<size_t>(i)];
      code = put_at(from, data + (from - position), to - from);
      if (code != 0) failed = true;
    });
    for (const int code : codes) {
      if (code != 0) return code;
    }
    return 0;
  }

  // Only here, when no thread writes any more, may an error close the file.
  void put(const char* data, size_t size) {
    const auto bytes = static_cast<int64_t>(size);
    const int code = bytes > AtomicFile::kPieceBytes
                         ? put_pieces(data, bytes)
                         : put_at(position, data, bytes);
    if (code != 0) abandon(code);
    position += bytes;
  }

  void flush() {
    put(buffer.data(), buffer.size());
    buffer.clear();
  }

  fs::path target;
  fs::path temporary;
  int descriptor = -1;
  std::string buffer;
  int64_t position = 0;  // bytes of the file, those in the buffer not counted
  int64_t written = 0;
};

AtomicFile::AtomicFile(fs::path target)
    : state_(std::make_unique<State>(std::move(target))) {}

AtomicFile::~AtomicFile() = default;

void AtomicFile::write(const void* data, size_t size) {
  State& state = *state_;
  state.require_open();
  if (size == 0) return;  // the memory of an empty tensor may be null
  const char* const bytes = static_cast<const char*>(data);
  if (state.buffer.size() + size > kBufferSize) state.flush();
  if (size >= kBufferSize) {
    state.put(bytes, size);
  } else {
    state.buffer.append(bytes, size);
  }
  state.written += static_cast<int64_t>(size);
}

int64_t AtomicFile::bytes_written() const { return state_->written; }

void AtomicFile::commit() {
  State& state = *state_;
  state.require_open();
  state.flush();
  if (::fsync(state.descriptor) != 0) state.abandon(errno);
  if (::rename(state.temporary.c_str(), state.target.c_str()) != 0) {
    state.abandon(errno);
  }
  // After the flush above a failing close can lose nothing.
  ::close(state.descriptor);
  state.descriptor = -1;
  // The rename itself must survive a power cut too.
  const int code = flush_folder(state.target.parent_path());
  if (code != 0) {
    fail_in(state.target,
            fmt::format("is written, but its folder could not be flushed to "
                        "the disk: {}; a power cut may undo it, check the disk",
                        explain(code)));
  }
}

void write_file(const fs::path& path, std::string_view content) {
  AtomicFile file(path);
  file.write(content);
  file.commit();
}

// Not std::filesystem::remove_all: LibTorch's wheels export one of their own
// that calls what is not there.
bool remove_tree(const fs::path& path) noexcept {
  constexpr int kOpenFolders = 16;
  struct stat status;
  if (::lstat(path.c_str(), &status) != 0) return errno == ENOENT;
  const auto remove = [](const char* name, const struct stat*, int,
                         struct FTW*) { return ::remove(name); };
  return ::nftw(path.c_str(), remove, kOpenFolders, FTW_DEPTH | FTW_PHYS) == 0;
}

}  // namespace ordered_gnn::core
