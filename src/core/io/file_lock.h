#pragma once
#include <filesystem>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::core {

/// Takes the lock of an open file or folder, without waiting. The lock goes
/// with the descriptor.
/// @return  false when another descriptor holds it.
/// @throws Error naming `path` when the system has no lock to give: that is not
///         the same as somebody else's.
bool try_lock(int descriptor, const std::filesystem::path& path);

/// Waits until nobody else holds the lock and takes it.
/// @throws Error as try_lock() does.
void wait_for_lock(int descriptor, const std::filesystem::path& path);

/// A file or folder that one process has at a time: open and locked from open()
/// until the object ends.
class LockedFile : NonCopyable {
 public:
  ~LockedFile();

  /// @param flags  those of open(2); programs that are started do not inherit
  ///               the file.
  /// @return  false when another holds it.
  /// @throws Error naming `path` when it cannot be opened or locked.
  [[nodiscard]] bool open(const std::filesystem::path& path, int flags,
                          unsigned mode = 0666);

  /// As open(), but waits while another holds it.
  void open_in_turn(const std::filesystem::path& path, int flags,
                    unsigned mode = 0666);

  int descriptor() const { return descriptor_; }

 private:
  void open_unlocked(const std::filesystem::path& path, int flags,
                     unsigned mode);

  int descriptor_ = -1;
};

}  // namespace ordered_gnn::core
