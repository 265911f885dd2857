#include "data/formats/edge_list.h"

#include <algorithm>

#include "core/io/tensor_memory.h"
#include "core/io/text/quick_number.h"

namespace ordered_gnn::data {
namespace {

bool quick_ends(const char*& at, const char* end, int64_t& from, int64_t& to) {
  if (!core::quick_integer(at, end, from) || at == end || *at != ',')
    return false;
  ++at;
  return core::quick_integer(at, end, to);
}

}  // namespace

void EdgeList::add_block() {
  blocks_.emplace_back(new Edge[kBlock]);
  next_ = blocks_.back().get();
  used_ = 0;
}

at::Tensor EdgeList::tensor() const {
  const int64_t count = size();
  at::Tensor edges = core::allocate_tensor({2, count}, at::kLong, place_);
  int64_t* const from = edges.data_ptr<int64_t>();
  int64_t* const to = from + count;
  int64_t e = 0;
  for (const std::unique_ptr<Edge[]>& block : blocks_) {
    const int64_t end = std::min(e + static_cast<int64_t>(kBlock), count);
    for (const Edge* edge = block.get(); e < end; ++e, ++edge) {
      from[e] = edge->from;
      to[e] = edge->to;
    }
  }
  return edges;
}

bool quick_edge(std::string_view line, int64_t num_nodes, EdgeList& edges) {
  const char* at = line.data();
  const char* const end = at + line.size();
  int64_t from = 0;
  int64_t to = 0;
  if (!quick_ends(at, end, from, to) || at != end) return false;
  if (from >= num_nodes || to >= num_nodes) return false;
  edges.add(from, to);
  return true;
}

bool quick_weighted_edge(std::string_view line, int64_t num_nodes,
                         EdgeList& edges, float& weight) {
  const char* at = line.data();
  const char* const end = at + line.size();
  int64_t from = 0;
  int64_t to = 0;
  if (!quick_ends(at, end, from, to) || at == end || *at != ',') return false;
  ++at;
  if (!core::quick_float(at, end, weight) || at != end || weight < 0)
    return false;
  if (from >= num_nodes || to >= num_nodes) return false;
  edges.add(from, to);
  return true;
}

}  // namespace ordered_gnn::data
