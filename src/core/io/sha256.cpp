#include "core/io/sha256.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/io/input_file.h"
#include "core/io/sha256_blocks.h"
#include "core/simd.h"

namespace ordered_gnn::core {
namespace {

uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

uint32_t load_big_endian(const uint8_t* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap32(value);
}

void compress_block(Sha256State& state, const uint8_t* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t x = w[t - 15], y = w[t - 2];
    const uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
    const uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t s1 =
        rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kSha256Rounds[t] + w[t];
    const uint32_t s0 =
        rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state[i] += sum[i];
}

// The instructions are no part of a SimdLevel, but asking for the baseline
// means plain code.
bool use_sha_extensions() {
  static const bool available = has_sha_extensions();
  return available && simd_level() != SimdLevel::baseline;
}

void compress_blocks(Sha256State& state, const uint8_t* blocks, size_t count) {
  if (use_sha_extensions()) {
    compress_with_sha_extensions(state, blocks, count);
    return;
  }
  for (size_t i = 0; i < count; ++i) {
    compress_block(state, blocks + i * kSha256Block);
  }
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::update(const void* data, size_t size) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  const size_t held = total_ % buffer_.size();
  total_ += size;
  if (held > 0) {
    const size_t taken = std::min(size, buffer_.size() - held);
    std::copy_n(bytes, taken, buffer_.data() + held);
    if (held + taken < buffer_.size()) return;
    compress_blocks(state_, buffer_.data(), 1);
    bytes += taken;
    size -= taken;
  }
  const size_t count = size / kSha256Block;
  compress_blocks(state_, bytes, count);
  std::copy_n(bytes + count * kSha256Block, size % kSha256Block,
              buffer_.data());
}

std::string Sha256::hex() {
  const uint64_t bits = total_ * 8;
  // One bit, zeros up to 8 bytes short of a block, then the length.
  const size_t used = total_ % buffer_.size();
  std::array<uint8_t, 72> padding{0x80};
  const size_t zeros_end = (used < 56 ? 56 : 120) - used;
  for (size_t i = 0; i < 8; ++i) {
    padding[zeros_end + i] = static_cast<uint8_t>(bits >> (56 - 8 * i));
  }
  update(padding.data(), zeros_end + 8);
  std::string digest;
  for (const uint32_t word : state_) {
    for (int shift = 28; shift >= 0; shift -= 4) {
      digest += "0123456789abcdef"[word >> shift & 15];
    }
  }
  return digest;
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
