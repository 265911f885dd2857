#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <map>
#include <string>

namespace ordered_gnn::core {

/// Content of a `.safetensors` file.
struct TensorFile {
  std::map<std::string, at::Tensor> tensors;
  /// `__metadata__`, but for the checksum.
  std::map<std::string, std::string> metadata;
  /// Whether the file had a checksum and its content is what that was made of;
  /// files of others and of earlier versions have none.
  bool is_verified = false;
};

/// Reads BOOL, U8, I8, I16, I32, I64, F16, BF16, F32 and F64 tensors. Offsets
/// must tile the data section without gaps, overlaps or rest.
/// @throws Error naming the file and the tensor, and when the content is not
///         what the checksum of the file says.
TensorFile read_safetensors(const std::filesystem::path& path);

/// Atomic; tensors are written contiguous, in name order, the header padded so
/// that data starts at a multiple of 8 bytes. `__metadata__` gets the checksum
/// of the content, see checksum.h.
void write_safetensors(const std::filesystem::path& path,
                       const TensorFile& content);

}  // namespace ordered_gnn::core
