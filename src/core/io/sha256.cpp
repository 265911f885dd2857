#include "ordered_gnn/core/io/sha256.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/io/input_file.h"

namespace ordered_gnn {
namespace {

// First 32 bits of the fractional parts of the cube roots of the first 64
// primes (FIPS 180-4, 4.2.2).
constexpr std::array<uint32_t, 64> kRound = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

uint32_t rotate_right(uint32_t x, int n) { return x >> n | x << (32 - n); }

uint32_t load_big_endian(const uint8_t* bytes) {
  uint32_t value;
  std::memcpy(&value, bytes, sizeof(value));
  return __builtin_bswap32(value);
}

}  // namespace

Sha256::Sha256()
    : state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
             0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19} {}

void Sha256::compress(const uint8_t* block) {
  std::array<uint32_t, 64> w;
  for (size_t t = 0; t < 16; ++t) w[t] = load_big_endian(block + 4 * t);
  for (size_t t = 16; t < 64; ++t) {
    const uint32_t x = w[t - 15], y = w[t - 2];
    const uint32_t s0 = rotate_right(x, 7) ^ rotate_right(x, 18) ^ x >> 3;
    const uint32_t s1 = rotate_right(y, 17) ^ rotate_right(y, 19) ^ y >> 10;
    w[t] = w[t - 16] + s0 + w[t - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state_;
  for (size_t t = 0; t < 64; ++t) {
    const uint32_t s1 =
        rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
    const uint32_t t1 = h + s1 + ((e & f) ^ (~e & g)) + kRound[t] + w[t];
    const uint32_t s0 =
        rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
    const uint32_t t2 = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + t1;
    d = c, c = b, b = a, a = t1 + t2;
  }
  const std::array<uint32_t, 8> sum = {a, b, c, d, e, f, g, h};
  for (size_t i = 0; i < 8; ++i) state_[i] += sum[i];
}

void Sha256::update(const void* data, size_t size) {
  const uint8_t* bytes = static_cast<const uint8_t*>(data);
  const size_t held = total_ % buffer_.size();
  total_ += size;
  if (held > 0) {
    const size_t taken = std::min(size, buffer_.size() - held);
    std::copy_n(bytes, taken, buffer_.data() + held);
    if (held + taken < buffer_.size()) return;
    compress(buffer_.data());
    bytes += taken;
    size -= taken;
  }
  for (; size >= buffer_.size();
       bytes += buffer_.size(), size -= buffer_.size()) {
    compress(bytes);
  }
  std::copy_n(bytes, size, buffer_.data());
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

}  // namespace ordered_gnn
