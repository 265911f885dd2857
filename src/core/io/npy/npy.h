#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// Reads a NumPy `.npy` array: bool, (u)int8/16/32/64, float16/32/64, little or
/// big endian, C or Fortran order (the result is always row-major). Unsigned
/// types wider than 8 bits widen to int64; a uint64 above 2^63-1 is an Error.
/// The header is checked against the bytes that are really there before any
/// memory is taken.
/// @throws Error naming `path` for a bad header, an object array (never
///         unpickled here) or missing bytes.
at::Tensor read_npy(const std::filesystem::path& path);

/// The same for bytes in memory; `place` names them in errors, for example
/// "graph.npz:labels.npy".
at::Tensor parse_npy(std::string_view bytes, const std::string& place);

/// Writes a contiguous little-endian `.npy` (version 1.0), a large one on all
/// threads with the same bytes for any number of them. Atomic.
/// @throws Error naming `path`, as AtomicFile does.
void write_npy(const std::filesystem::path& path, const at::Tensor& values);

/// The `.npy` header that write_npy() puts before the data of a tensor.
/// @throws Error when the type has no `.npy` form.
std::string npy_header(at::ScalarType scalar_type, at::IntArrayRef sizes);
inline std::string npy_header(const at::Tensor& values) {
  return npy_header(values.scalar_type(), values.sizes());
}

}  // namespace ordered_gnn::core
