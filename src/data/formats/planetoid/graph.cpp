#include "data/formats/planetoid/graph.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <utility>

#include "core/io/pickle/pickle.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

using Pair = std::pair<int64_t, int64_t>;

int64_t checked_id(int64_t id, const std::filesystem::path& file) {
  if (id < 0) fail_in(file, fmt::format("{} cannot be a node id", id));
  return id;
}

void check_each_once(std::vector<int64_t> keys,
                     const std::filesystem::path& file) {
  std::sort(keys.begin(), keys.end());
  const auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice != keys.end()) {
    fail_in(file, fmt::format("node {} has two neighbour lists", *twice));
  }
}

}  // namespace

NeighbourLists read_neighbour_lists(const std::filesystem::path& file) {
  const core::Pickle pickle = core::read_pickle(file);
  const core::PickleValue graph = pickle.root();
  if (!graph.is(core::PickleKind::dict)) {
    fail_in(file, fmt::format("expected a dict of neighbour lists, found {}",
                              to_string(graph.kind())));
  }
  NeighbourLists lists;
  std::vector<int64_t> from;
  std::vector<int64_t> to;
  for (size_t i = 0; i < graph.size(); ++i) {
    const int64_t node = checked_id(graph.key(i).integer(), file);
    lists.keys.push_back(node);
    for (const int64_t neighbour : graph.value(i).integers()) {
      from.push_back(node);
      to.push_back(checked_id(neighbour, file));
    }
  }
  check_each_once(lists.keys, file);
  const int64_t num_edges = static_cast<int64_t>(from.size());
  lists.edges = at::empty({2, num_edges}, at::kLong);
  int64_t* const ends = lists.edges.data_ptr<int64_t>();
  std::copy(from.begin(), from.end(), ends);
  std::copy(to.begin(), to.end(), ends + num_edges);
  return lists;
}

int64_t count_one_way(const at::Tensor& edges) {
  const int64_t num_edges = edges.size(1);
  const int64_t* const from = edges.data_ptr<int64_t>();
  const int64_t* const to = from + num_edges;
  std::vector<Pair> pairs;
  pairs.reserve(static_cast<size_t>(num_edges));
  for (int64_t e = 0; e < num_edges; ++e) pairs.emplace_back(from[e], to[e]);
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return std::count_if(pairs.begin(), pairs.end(), [&](const Pair& pair) {
    return !std::binary_search(pairs.begin(), pairs.end(),
                               Pair(pair.second, pair.first));
  });
}

}  // namespace ordered_gnn::data
