#include "data/generators/alias_table.h"

#include <numeric>

namespace ordered_gnn::data {

AliasTable::AliasTable(const std::vector<double>& weights)
    : cells_(weights.size()),
      total_(std::accumulate(weights.begin(), weights.end(), 0.0)) {
  const int32_t size = static_cast<int32_t>(weights.size());
  std::vector<double> scaled(weights.size());
  std::vector<int32_t> light;
  std::vector<int32_t> heavy;
  for (int32_t i = 0; i < size; ++i) {
    scaled[i] = weights[i] * size / total_;
    (scaled[i] < 1 ? light : heavy).push_back(i);
  }
  while (!light.empty() && !heavy.empty()) {
    const int32_t small = light.back();
    const int32_t large = heavy.back();
    light.pop_back();
    cells_[small] = {static_cast<float>(scaled[small]), large};
    scaled[large] -= 1 - scaled[small];
    if (scaled[large] < 1) {
      heavy.pop_back();
      light.push_back(large);
    }
  }
  // Rounding leaves cells that are full up to the last bits.
  for (const int32_t i : light) cells_[i] = {1.0f, i};
  for (const int32_t i : heavy) cells_[i] = {1.0f, i};
}

}  // namespace ordered_gnn::data
