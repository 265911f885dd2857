#include "train/batch_order.h"

#include <algorithm>

#include "ordered_gnn/core/random.h"

namespace ordered_gnn::training {
namespace {

// Above the streams of all other draws of a seed; epochs are added to it.
constexpr uint64_t kBatchStream = uint64_t{0xBA7C} << 48;

}  // namespace

int64_t batches_per_epoch(int64_t count, int64_t most) {
  return (count + most - 1) / most;
}

std::vector<std::vector<int64_t>> draw_batches(int64_t count, int64_t most,
                                               int64_t seed, int64_t epoch) {
  RandomStream random(static_cast<uint64_t>(seed),
                      kBatchStream + static_cast<uint64_t>(epoch));
  const at::Tensor order = random_permutation(count, random);
  const auto* const member = order.data_ptr<int64_t>();
  const int64_t number = batches_per_epoch(count, most);
  std::vector<std::vector<int64_t>> batches;
  for (int64_t b = 0; b < number; ++b) {
    batches.emplace_back(member + b * count / number,
                         member + (b + 1) * count / number);
    std::sort(batches.back().begin(), batches.back().end());
  }
  return batches;
}

}  // namespace ordered_gnn::training
