#include "data/components.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ordered_gnn::data {

Components::Components(int64_t num_nodes)
    : parent_(num_nodes),
      size_(num_nodes, 1),
      count_(num_nodes),
      largest_(std::min<int64_t>(num_nodes, 1)) {
  std::iota(parent_.begin(), parent_.end(), int64_t{0});
}

int64_t Components::root(int64_t node) {
  while (parent_[node] != node) {
    parent_[node] = parent_[parent_[node]];
    node = parent_[node];
  }
  return node;
}

void Components::join(int64_t a, int64_t b) {
  int64_t large = root(a);
  int64_t small = root(b);
  if (large == small) return;
  if (size_[large] < size_[small]) std::swap(large, small);
  parent_[small] = large;
  size_[large] += size_[small];
  largest_ = std::max(largest_, size_[large]);
  --count_;
}

}  // namespace ordered_gnn::data
