#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::core {

/// Where one tensor lies in the data section: `size` bytes from `begin` on.
struct TensorRange {
  std::string name;
  at::ScalarType dtype;
  std::vector<int64_t> shape;
  int64_t begin = 0;
  int64_t size = 0;
};

struct SafetensorsHeader {
  std::vector<TensorRange> ranges;  ///< in the order of the data
  std::map<std::string, std::string> metadata;
};

/// "F32" for float, and so on; empty for a type that the format does not have.
std::string_view safetensors_type(at::ScalarType dtype);

/// Parses the JSON before `data_size` bytes of data, in a time that grows with
/// its length. Every range of the result has the size its shape and type ask
/// for, and the ranges tile the data.
/// @throws Error naming `place` and the tensor, and for more than 2^18 tensors
///         or 2^16 metadata.
SafetensorsHeader parse_safetensors_header(std::string_view json,
                                           int64_t data_size,
                                           const std::string& place);

/// The JSON text for `header`, unpadded.
std::string format_safetensors_header(const SafetensorsHeader& header,
                                      const std::string& place);

}  // namespace ordered_gnn::core
