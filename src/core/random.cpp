#include "ordered_gnn/core/random.h"

#include <ATen/Functions.h>

#include <cmath>
#include <utility>

namespace ordered_gnn {

RandomStream::RandomStream(uint64_t seed, uint64_t stream)
    : key_(seed), stream_(stream) {}

uint32_t RandomStream::next_u32() {
  if (used_ == 4) {
    words_ = Philox::block(key_, counter_++, stream_);
    used_ = 0;
  }
  return words_[used_++];
}

uint64_t RandomStream::next_u64() {
  const uint64_t high = next_u32();
  return high << 32 | next_u32();
}

double RandomStream::uniform() {
  return static_cast<double>(next_u64() >> 11) * 0x1.0p-53;
}

uint64_t RandomStream::below(uint64_t bound) {
  // Rejecting the short last interval keeps every value equally likely.
  const uint64_t limit = UINT64_MAX - UINT64_MAX % bound;
  uint64_t word = next_u64();
  while (word >= limit) word = next_u64();
  return word % bound;
}

double RandomStream::normal() {
  if (has_spare_normal_) {
    has_spare_normal_ = false;
    return spare_normal_;
  }
  const double radius = std::sqrt(-2.0 * std::log1p(-uniform()));
  const double angle = 2.0 * 3.14159265358979323846 * uniform();
  spare_normal_ = radius * std::sin(angle);
  has_spare_normal_ = true;
  return radius * std::cos(angle);
}

void fill_uniform(at::Tensor& values, double low, double high,
                  RandomStream& random) {
  if (values.is_meta()) return;
  const at::Tensor drawn =
      at::empty(values.sizes(), at::TensorOptions(at::kDouble));
  double* const out = drawn.data_ptr<double>();
  for (int64_t i = 0; i < drawn.numel(); ++i) {
    out[i] = low + (high - low) * random.uniform();
  }
  values.copy_(drawn);
}

at::Tensor random_permutation(int64_t size, RandomStream& random) {
  const at::Tensor order = at::arange(size, at::TensorOptions(at::kLong));
  int64_t* const values = order.data_ptr<int64_t>();
  for (int64_t i = size - 1; i > 0; --i) {
    std::swap(values[i], values[random.below(static_cast<uint64_t>(i) + 1)]);
  }
  return order;
}

}  // namespace ordered_gnn
