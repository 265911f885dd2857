#pragma once
#include <cstdint>
#include <filesystem>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::data {

/// The unfinished download of a file, kept beside it as TARGET.part so that a
/// later run can go on where this one was interrupted, however it ended.
class PartFile : NonCopyable {
 public:
  /// Opens TARGET.part, or makes it together with the folders it is in.
  /// @throws Error when that is impossible or another process has it open.
  explicit PartFile(std::filesystem::path target);
  /// Keeps what was downloaded; an empty file is deleted.
  ~PartFile();

  const std::filesystem::path& path() const { return path_; }
  int64_t size() const { return size_; }

  /// @throws Error when the disk is full; what was written stays.
  void append(const char* data, size_t size);
  /// Forgets what was downloaded.
  void restart();
  /// Flushes the file and gives it the name of its target.
  void commit();
  /// Deletes it.
  void discard();

 private:
  int64_t locked_size() const;
  [[noreturn]] void fail_with(const char* what) const;

  std::filesystem::path target_;
  std::filesystem::path path_;
  int descriptor_ = -1;
  int64_t size_ = 0;
  bool finished_ = false;
};

}  // namespace ordered_gnn::data
