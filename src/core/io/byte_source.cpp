#include "core/io/byte_source.h"

#include <cstring>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {

void ByteSource::read(void* data, int64_t size) {
  if (size > remaining_) {
    fail_in(place_, fmt::format("expected {} more bytes, found {}; the data is "
                                "truncated",
                                size, remaining_));
  }
  if (size == 0) return;  // an empty tensor has no memory to read into
  do_read(static_cast<char*>(data), size);
  remaining_ -= size;
}

void MemorySource::do_read(char* data, int64_t size) {
  std::memcpy(data, next_, static_cast<size_t>(size));
  next_ += size;
}

void FileSource::do_read(char* data, int64_t size) {
  file_->read_at(offset_, data, static_cast<size_t>(size));
  offset_ += size;
}

}  // namespace ordered_gnn::core
