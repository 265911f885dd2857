#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <mutex>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

/// Room on a disk for what does not fit into memory: one file in a folder, with
/// slots that are taken and given back.
///
/// The file has no name there, so that the system frees it however the process
/// ends. Where a file system cannot do that it has one for a moment, and what a
/// process that was killed just then has left is removed by the next.
/// All may be called by several threads.
class SpillFile : NonCopyable {
 public:
  /// @param bytes  that are surely needed: the disk must have them free.
  /// @throws Error naming the folder, what is needed and what is free.
  SpillFile(std::filesystem::path folder, int64_t bytes);
  ~SpillFile();

  /// The offset of a slot. The file grows, on the disk too, when there is none.
  /// @throws Error when the disk is full.
  int64_t take(int64_t bytes);
  void give_back(int64_t offset, int64_t bytes);

  /// All of it, or an Error naming the folder.
  void write(const void* from, int64_t bytes, int64_t offset) const;
  void read(void* to, int64_t bytes, int64_t offset) const;

  const std::filesystem::path& folder() const { return folder_; }
  int64_t size() const;  ///< of the file now

 private:
  void grow(int64_t least);

  const std::filesystem::path folder_;
  int file_ = -1;
  mutable std::mutex mutex_;
  int64_t size_ = 0;
  std::map<int64_t, int64_t> free_;  ///< bytes by offset
};

/// Bytes that a folder's disk has free, of one that is not there yet those
/// where it would be; -1 when unknown.
int64_t free_disk_bytes(const std::filesystem::path& folder);

/// The number of a folder's disk on this host, of one that is not there yet
/// that of where it would be; 0 when unknown.
uint64_t disk_number(const std::filesystem::path& folder);

/// Whether a folder is kept in memory, where spilling frees none.
bool is_memory_folder(const std::filesystem::path& folder);

}  // namespace ordered_gnn::scale
