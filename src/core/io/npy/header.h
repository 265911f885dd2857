#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/io/byte_source.h"

namespace ordered_gnn::core {

/// What stands before the data of an `.npy` array.
struct NpyHeader {
  std::string descr;  ///< dtype as NumPy writes it, for example "<f4"
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// Reads magic, version (1.0, 2.0, 3.0) and dictionary; the source then stands
/// at the first byte of data. Numbers are non-negative but otherwise unchecked.
/// @throws Error naming the source.
NpyHeader read_npy_header(ByteSource& source);

/// Parses the dictionary alone, a Python literal.
NpyHeader parse_npy_dictionary(std::string_view text, const std::string& place);

}  // namespace ordered_gnn::core
