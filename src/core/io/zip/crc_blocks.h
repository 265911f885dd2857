#pragma once
#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {

/// Bytes that a thread sums up at a time: small enough to be in its cache still
/// when they were read or are written around it.
inline constexpr int64_t kCrcBlock = int64_t{1} << 20;

/// The CRC of `size` bytes that follow others, summed up in blocks on all
/// threads: one thread alone is slower than the memory.
/// @param crc           of what is before them; 0 for nothing.
/// @param crc_of_block  crc_of_block(begin, end) is that of these bytes by
///                      themselves, uint32_t; called as by parallel_ranges().
template <typename CrcOfBlock>
uint32_t crc_in_blocks(uint32_t crc, int64_t size,
                       const CrcOfBlock& crc_of_block) {
  std::vector<uint32_t> crcs(
      static_cast<size_t>((size + kCrcBlock - 1) / kCrcBlock));
  parallel_ranges(size, kCrcBlock, [&](int64_t begin, int64_t end) {
    crcs[static_cast<size_t>(begin / kCrcBlock)] = crc_of_block(begin, end);
  });
  int64_t left = size;
  for (const uint32_t block : crcs) {
    const int64_t length = std::min(kCrcBlock, left);
    crc = static_cast<uint32_t>(
        crc32_combine(crc, block, static_cast<z_off_t>(length)));
    left -= length;
  }
  return crc;
}

}  // namespace ordered_gnn::core
