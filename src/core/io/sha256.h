#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;  // of OpenSSL

namespace ordered_gnn::core {

/// Incremental SHA-256 (FIPS 180-4), by OpenSSL.
class Sha256 {
 public:
  /// @throws Error when this OpenSSL is set up without SHA-256.
  Sha256();
  void update(const void* data, size_t size);
  void update(std::string_view bytes) { update(bytes.data(), bytes.size()); }
  /// 64 lower-case hexadecimal digits. The object is spent afterwards.
  std::string hex();

 private:
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

/// @throws Error when the file cannot be read.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace ordered_gnn::core
