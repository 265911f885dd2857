#include "core/io/safetensors/checksum.h"

#include "core/io/little_endian.h"
#include "core/io/safetensors/header.h"
#include "core/io/sha256.h"
#include "core/io/tensor_memory.h"

namespace ordered_gnn::core {
namespace {

void hash_number(int64_t number, Sha256& hash) {
  std::string bytes;
  append_le(bytes, number);
  hash.update(bytes);
}

// With its length, so that no two lists of texts are the same bytes.
void hash_text(std::string_view text, Sha256& hash) {
  hash_number(static_cast<int64_t>(text.size()), hash);
  hash.update(text);
}

}  // namespace

std::string content_sha256(const TensorFile& content,
                           const std::string& place) {
  Sha256 hash;
  const size_t own = content.metadata.count(kChecksumKey);
  hash_number(static_cast<int64_t>(content.metadata.size() - own), hash);
  for (const auto& [key, text] : content.metadata) {
    if (key == kChecksumKey) continue;
    hash_text(key, hash);
    hash_text(text, hash);
  }
  for (const auto& [name, values] : content.tensors) {
    hash_text(name, hash);
    hash_text(safetensors_type(values.scalar_type()), hash);
    hash_number(values.dim(), hash);
    for (const int64_t size : values.sizes()) hash_number(size, hash);
    hash.update(tensor_bytes(to_writable(values, place)));
  }
  return hash.hex();
}

}  // namespace ordered_gnn::core
