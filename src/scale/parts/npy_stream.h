#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <vector>

#include "core/io/file.h"
#include "core/io/sha256.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// An `.npy` file whose rows come piece by piece, with its checksum: never more
/// than a piece is in memory. Appears under its name when it is complete.
class NpyStream {
 public:
  /// @param sizes  of the whole array.
  NpyStream(const std::filesystem::path& file, at::ScalarType type,
            std::vector<int64_t> sizes);

  /// The next rows, of the type that was said.
  void add(const at::Tensor& rows);

  /// @throws Error also when rows are missing or too many.
  FileMark finish();

 private:
  void write(const void* data, size_t size);

  const std::filesystem::path path_;
  const at::ScalarType type_;
  const std::vector<int64_t> sizes_;
  core::AtomicFile file_;
  core::Sha256 hash_;
  int64_t values_left_ = 0;
};

/// NpyStream of an array that is there.
FileMark write_array(const std::filesystem::path& file,
                     const at::Tensor& values);

}  // namespace ordered_gnn::scale
