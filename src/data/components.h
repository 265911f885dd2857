#pragma once
#include <cstdint>
#include <vector>

namespace ordered_gnn::data {

/// Connected components by union-find with path halving, joined by size.
class Components {
 public:
  explicit Components(int64_t num_nodes);

  void join(int64_t a, int64_t b);
  int64_t count() const { return count_; }
  /// Nodes in the largest component; 0 without nodes.
  int64_t largest() const { return largest_; }

 private:
  int64_t root(int64_t node);

  std::vector<int64_t> parent_;
  std::vector<int64_t> size_;
  int64_t count_;
  int64_t largest_;
};

}  // namespace ordered_gnn::data
