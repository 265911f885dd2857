#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// A file open for reading. Every error names it.
class InputFile : NonCopyable {
 public:
  /// @throws Error when it is missing, a folder or not readable.
  explicit InputFile(const std::filesystem::path& path);
  ~InputFile();

  const std::filesystem::path& path() const { return path_; }
  /// Bytes when it was opened; 0 for a pipe or a device.
  int64_t size() const { return size_; }

  /// Reads on from the current position; 0 only at the end.
  size_t read_some(void* data, size_t size);
  /// Reads exactly `size` bytes from `offset`; safe from several threads.
  /// @throws Error when the file has become shorter.
  void read_at(int64_t offset, void* data, size_t size) const;

 private:
  std::filesystem::path path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
};

}  // namespace ordered_gnn::core
