#pragma once
#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace ordered_gnn::core {

/// Incremental SHA-256 (FIPS 180-4), with the SHA instructions of the CPU where
/// it has them.
class Sha256 {
 public:
  Sha256();
  void update(const void* data, size_t size);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }
  /// 64 lower-case hexadecimal digits. The object is spent afterwards.
  std::string hex();

 private:
  std::array<uint32_t, 8> state_;
  std::array<uint8_t, 64> buffer_{};
  uint64_t total_ = 0;
};

/// @throws Error when the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace ordered_gnn::core
