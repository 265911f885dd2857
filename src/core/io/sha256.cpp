#include "core/io/sha256.h"

#include <openssl/evp.h>

#include <array>
#include <vector>

#include "core/io/input_file.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

// Looked up once: the way by EVP_sha256() does it for every digest, which takes
// longer than a digest of few bytes.
const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const found = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return found;
}

void require_sha256(bool success) {
  if (!success) fail("OpenSSL cannot compute SHA-256 here");
}

}  // namespace

Sha256::Sha256() : context_(EVP_MD_CTX_new(), &EVP_MD_CTX_free) {
  require_sha256(
      context_ != nullptr && sha256_algorithm() != nullptr &&
      EVP_DigestInit_ex(context_.get(), sha256_algorithm(), nullptr) == 1);
}

void Sha256::update(const void* data, size_t size) {
  require_sha256(EVP_DigestUpdate(context_.get(), data, size) == 1);
}

std::string Sha256::hex() {
  std::array<unsigned char, 32> bytes{};
  require_sha256(EVP_DigestFinal_ex(context_.get(), bytes.data(), nullptr) ==
                 1);
  std::string digits;
  for (const unsigned char byte : bytes) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::string sha256_of_file(const std::filesystem::path& path) {
  InputFile file(path);
  std::vector<char> block(size_t{1} << 18);
  Sha256 hash;
  while (const size_t count = file.read_some(block.data(), block.size())) {
    hash.update(block.data(), count);
  }
  return hash.hex();
}

}  // namespace ordered_gnn::core
