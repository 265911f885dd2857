#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>

namespace ordered_gnn::fuzz {

/// The choices of a mutator: the same for the same seed.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}

  /// One of 0 .. count - 1; `count` is at least 1.
  size_t below(size_t count) { return engine_() % count; }
  bool once_in(size_t count) { return below(count) == 0; }

  /// A number at which sizes, counts and offsets go wrong.
  uint64_t extreme() {
    static constexpr std::array<uint64_t, 16> kNumbers = {
        0,           1,          2,          127,        128,
        255,         256,        65535,      65536,      0x7fffffff,
        1u << 31,    0xfffffffe, 0xffffffff, 1ull << 32, 0x7fffffffffffffff,
        ~uint64_t{0}};
    return kNumbers[below(kNumbers.size())];
  }

 private:
  std::mt19937 engine_;
};

}  // namespace ordered_gnn::fuzz
