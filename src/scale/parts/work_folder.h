#pragma once
#include <filesystem>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

/// Files of a cut that is written piece by piece, see WorkFolder.
inline constexpr const char* kSpoolFile = "features.bin";
inline constexpr const char* kInLists = "in";
inline constexpr const char* kOutLists = "out";

/// A folder for a while; that of a killed run is taken over.
class WorkFolder : NonCopyable {
 public:
  /// @throws Error when it holds what no run has left, or cannot be made.
  explicit WorkFolder(std::filesystem::path path);
  ~WorkFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  const std::filesystem::path path_;
};

}  // namespace ordered_gnn::scale
