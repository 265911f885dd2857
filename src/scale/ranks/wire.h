#pragma once
#include <cstdint>
#include <string>

namespace ordered_gnn::scale {

/// In which numbers rows of float32 come to other parts.
enum class Wire {
  fp32,  ///< as they are
  /// Rounded to 16 bits, for half of the bytes: the rows of every halo, also
  /// where a part of the same rank has them, so that the result does not depend
  /// on which do.
  bf16,
};
std::string to_string(Wire wire);
/// @throws UsageError that lists the known names.
Wire parse_wire(const std::string& name);

/// Bytes of a value of float32 on the wire.
int64_t wire_bytes_per_value(Wire wire);

}  // namespace ordered_gnn::scale
