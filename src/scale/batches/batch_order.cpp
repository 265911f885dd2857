#include "scale/batches/batch_order.h"

#include <algorithm>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn::scale {
namespace {

// Above the streams of all other draws of a seed; epochs are added to it.
constexpr uint64_t kBatchStream = uint64_t{0xBA7C} << 48;

}  // namespace

int64_t batches_per_epoch(int64_t parts, int64_t most) {
  return (parts + most - 1) / most;
}

std::vector<std::vector<int64_t>> draw_batches(int64_t parts, int64_t most,
                                               int64_t seed, int64_t epoch) {
  RandomStream random(static_cast<uint64_t>(seed),
                      kBatchStream + static_cast<uint64_t>(epoch));
  const at::Tensor order = random_permutation(parts, random);
  const auto* const part = order.data_ptr<int64_t>();
  const int64_t count = batches_per_epoch(parts, most);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t b = 0; b < count; ++b) {
    batches.emplace_back(part + b * parts / count,
                         part + (b + 1) * parts / count);
    std::sort(batches.back().begin(), batches.back().end());
  }
  return batches;
}

}  // namespace ordered_gnn::scale
