#pragma once
#include <filesystem>
#include <string>

#include "core/io/safetensors/safetensors.h"

namespace ordered_gnn::training {

/// A kind of file that has two formats: the first without a checksum, the one
/// that is written now always with one, so that a file that lost it is seen.
struct FileFormat {
  std::string first;
  std::string now;

  /// @throws Error naming `file` when its metadata `format` is neither, or when
  ///         it is the present one and the file has no checksum.
  void require(const core::TensorFile& content,
               const std::filesystem::path& file) const;
};

}  // namespace ordered_gnn::training
