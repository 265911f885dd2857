#include "core/io/gzip_input.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::core {
namespace {

constexpr size_t kReadSize = size_t{1} << 18;
constexpr int kGzipWindow = 15 + 16;  // zlib's code for "gzip header expected"

}  // namespace

GzipInput::GzipInput(const std::filesystem::path& path)
    : file_(path), block_(kReadSize) {
  // The kind shows in two bytes, and a pipe may deliver them one by one.
  size_t count = 0;
  while (count < 2) {
    const size_t more =
        file_.read_some(block_.data() + count, block_.size() - count);
    if (more == 0) break;
    count += more;
  }
  stream_.next_in = block_.data();
  stream_.avail_in = static_cast<uInt>(count);
  if (count < 2 || block_[0] != 0x1f || block_[1] != 0x8b) return;
  if (inflateInit2(&stream_, kGzipWindow) != Z_OK) throw std::bad_alloc();
  phase_ = Phase::in_member;
}

GzipInput::~GzipInput() {
  if (phase_ != Phase::plain) inflateEnd(&stream_);
}

bool GzipInput::refill() {
  const size_t count = file_.read_some(block_.data(), block_.size());
  stream_.next_in = block_.data();
  stream_.avail_in = static_cast<uInt>(count);
  return count > 0;
}

size_t GzipInput::copy_plain(char* data, size_t size) {
  if (stream_.avail_in == 0) return file_.read_some(data, size);
  const uInt count =
      static_cast<uInt>(std::min<size_t>(size, stream_.avail_in));
  std::memcpy(data, stream_.next_in, count);
  stream_.next_in += count;
  stream_.avail_in -= count;
  return count;
}

// Moves to what follows a member: another one, padding, or the end (false).
bool GzipInput::start_member() {
  if (*stream_.next_in == 0) phase_ = Phase::padding;
  if (phase_ == Phase::padding) {
    const Bytef* const end = stream_.next_in + stream_.avail_in;
    if (std::any_of(static_cast<const Bytef*>(stream_.next_in), end,
                    [](Bytef byte) { return byte != 0; })) {
      fail_in(file_.path(), "has garbage after its gzip data; fetch it again");
    }
    stream_.avail_in = 0;
    return false;
  }
  inflateReset(&stream_);
  phase_ = Phase::in_member;
  return true;
}

void GzipInput::inflate_some() {
  const int status = inflate(&stream_, Z_NO_FLUSH);
  if (status == Z_MEM_ERROR) throw std::bad_alloc();
  if (status == Z_STREAM_END) {
    phase_ = Phase::between_members;
  } else if (status != Z_OK && status != Z_BUF_ERROR) {
    fail_in(file_.path(),
            fmt::format("has damaged gzip data ({}); fetch it again",
                        stream_.msg != nullptr ? stream_.msg : "no detail"));
  }
}

size_t GzipInput::read(char* data, size_t size) {
  if (phase_ == Phase::plain) return copy_plain(data, size);
  const uInt wanted = static_cast<uInt>(
      std::min<size_t>(size, std::numeric_limits<uInt>::max()));
  stream_.next_out = reinterpret_cast<Bytef*>(data);
  stream_.avail_out = wanted;
  while (stream_.avail_out == wanted) {
    if (stream_.avail_in == 0 && !refill()) {
      if (phase_ != Phase::in_member) return 0;
      fail_in(file_.path(), "is truncated gzip data; fetch it again");
    }
    if (phase_ != Phase::in_member && !start_member()) continue;
    inflate_some();
  }
  return wanted - stream_.avail_out;
}

std::string read_plain_or_gzipped(const std::filesystem::path& path,
                                  int64_t max_bytes) {
  GzipInput input(path);
  std::vector<char> block(kReadSize);
  std::string content;
  content.reserve(static_cast<size_t>(std::min(input.known_size(), max_bytes)));
  while (const size_t count = input.read(block.data(), block.size())) {
    if (content.size() + count > content.capacity()) {
      // Beside the old memory, which is copied.
      const size_t larger = std::max(2 * content.capacity(), kReadSize);
      require_memory(static_cast<int64_t>(larger), path.string(),
                     "what it unpacks to");
      content.reserve(larger);
    }
    content.append(block.data(), count);
    if (static_cast<int64_t>(content.size()) > max_bytes) {
      fail_in(path, fmt::format("holds more than {} bytes, the most that is "
                                "read of such a file",
                                max_bytes));
    }
  }
  return content;
}

}  // namespace ordered_gnn::core
