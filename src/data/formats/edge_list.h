#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ordered_gnn::data {

/// Edges read one after another. Kept in blocks: growing one array would copy
/// and touch its memory several times.
class EdgeList {
 public:
  /// @param place  named when there is no memory for all of them.
  explicit EdgeList(std::string place = "the list of edges")
      : place_(std::move(place)) {}

  void add(int64_t from, int64_t to) {
    if (used_ == kBlock) add_block();
    next_[used_++] = {from, to};
  }
  int64_t size() const {
    return static_cast<int64_t>(blocks_.size() * kBlock + used_ - kBlock);
  }

  /// [2, E] int64. @throws Error when there is no memory for it.
  at::Tensor tensor() const;

 private:
  struct Edge {
    int64_t from;
    int64_t to;
  };
  static constexpr size_t kBlock = size_t{1} << 16;
  void add_block();

  std::string place_;
  std::vector<std::unique_ptr<Edge[]>> blocks_;
  Edge* next_ = nullptr;  // the last block
  size_t used_ = kBlock;  // of it
};

/// Reads "FROM,TO" of two node numbers in [0, num_nodes); false leaves the line
/// to the parser that explains.
bool quick_edge(std::string_view line, int64_t num_nodes, EdgeList& edges);

/// The same of "FROM,TO,WEIGHT" with a weight of 0 or more.
bool quick_weighted_edge(std::string_view line, int64_t num_nodes,
                         EdgeList& edges, float& weight);

}  // namespace ordered_gnn::data
