#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// Reads a whole file.
/// @throws Error naming the file when it is missing, a folder, unreadable or
///         larger than `max_bytes` or than memory is left for.
std::string read_file(const std::filesystem::path& path,
                      int64_t max_bytes = int64_t{1} << 34);

/// A file that appears under its name only when it is complete: written beside
/// its target, flushed to the disk and renamed into place by commit(). Without
/// commit() nothing is left behind and an earlier file stays untouched.
class AtomicFile : NonCopyable {
 public:
  /// More than this is written in pieces of it, on all threads. They end where
  /// the file has a multiple of it, so that no two share a page of the disk.
  static constexpr int64_t kPieceBytes = int64_t{1} << 22;

  /// @throws Error when the folder does not exist or is not writable, or the
  ///         target is there and no regular file: a pipe, socket or device
  ///         cannot be renamed onto.
  explicit AtomicFile(std::filesystem::path target);
  ~AtomicFile();

  /// The bytes of the file do not depend on the threads.
  /// @throws Error naming the target; a full disk is said so. Of several pieces
  ///         that failed it is that of the first in the file.
  void write(const void* data, size_t size);
  void write(std::string_view text) { write(text.data(), text.size()); }
  int64_t bytes_written() const;
  /// @throws Error as write(); also when the file is in place but the disk
  ///         refuses to keep its name, which the message says.
  void commit();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// AtomicFile in one call.
void write_file(const std::filesystem::path& path, std::string_view content);

/// Deletes a file, or a folder with all that is in it; links are deleted and
/// not followed. What is not there needs no deleting.
/// @return  false when something could not be deleted.
bool remove_tree(const std::filesystem::path& path) noexcept;

}  // namespace ordered_gnn::core
