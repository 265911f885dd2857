#pragma once
#include <cstdint>
#include <cstring>
#include <string>

static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
              "tensor memory is written to files as it is");

namespace ordered_gnn::core {

/// The little-endian integer at `bytes`, which need not be aligned.
template <typename T>
T load_le(const char* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

template <typename T>
void append_le(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

}  // namespace ordered_gnn::core
