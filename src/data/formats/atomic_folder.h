#pragma once
#include <filesystem>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::data {

/// A folder that appears under its name only when it is complete: filled beside
/// its target and renamed into place by commit(). Without commit() nothing is
/// left behind and an earlier folder stays untouched.
class AtomicFolder : NonCopyable {
 public:
  /// @throws Error when the folder around it does not exist or is not writable.
  explicit AtomicFolder(const std::filesystem::path& target);
  ~AtomicFolder();

  /// Where to write the files.
  const std::filesystem::path& path() const { return temporary_; }
  /// Puts the folder in place; one that is there is replaced and deleted, so
  /// the caller makes sure beforehand that it may be.
  void commit();

 private:
  void replace_existing();
  void flush_parent() const;

  std::filesystem::path target_;
  std::filesystem::path temporary_;
};

}  // namespace ordered_gnn::data
