#include <ATen/ATen.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/io/sha256.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/data/node_order.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kRowsAtATime = 4096;

// Where each node is in the order.
at::Tensor places_in(const at::Tensor& order) {
  at::Tensor place = at::empty_like(order);
  place.index_copy_(0, order, at::arange(order.numel(), order.options()));
  return place;
}

void require_order(const NodeDataset& data, const at::Tensor& order) {
  if (data.order.defined()) {
    throw UsageError(fmt::format(
        "reordered: '{}' has been reordered before; give it as it was loaded",
        data.name));
  }
  const int64_t nodes = data.num_nodes();
  const bool is_list = order.defined() && order.dim() == 1 &&
                       order.scalar_type() == at::kLong &&
                       order.device().is_cpu() && order.numel() == nodes;
  if (is_list) {
    const at::Tensor sorted = std::get<0>(order.sort());
    if (sorted.equal(at::arange(nodes, order.options()))) return;
  }
  throw UsageError(fmt::format(
      "reordered: an order of '{}' is [{}] Long on cpu and has every node once",
      data.name, nodes));
}

// Row lengths of the lists in the new order, summed up.
at::Tensor rowptr_in_order(const at::Tensor& rowptr, const at::Tensor& order) {
  at::Tensor out = at::zeros_like(rowptr);
  out.slice(0, 1).copy_(rowptr.diff().index_select(0, order).cumsum(0));
  return out;
}

// The in-lists renumbered, and for every entry where it was.
struct MovedLists {
  Adjacency in;
  at::Tensor entry;  ///< [E] int64
};

template <typename Index>
void move_lists(const Adjacency& from, const at::Tensor& order,
                const at::Tensor& place, MovedLists& to) {
  const int64_t* const node = order.data_ptr<int64_t>();
  const int64_t* const place_of = place.data_ptr<int64_t>();
  const int64_t* const from_row = from.rowptr.data_ptr<int64_t>();
  const Index* const from_col = from.col.data_ptr<Index>();
  const int64_t* const to_row = to.in.rowptr.data_ptr<int64_t>();
  Index* const to_col = to.in.col.data_ptr<Index>();
  int64_t* const entry = to.entry.data_ptr<int64_t>();
  parallel_ranges(order.numel(), kRowsAtATime, [&](int64_t begin, int64_t end) {
    std::vector<std::pair<int64_t, int64_t>> row;
    for (int64_t r = begin; r < end; ++r) {
      row.clear();
      for (int64_t e = from_row[node[r]]; e < from_row[node[r] + 1]; ++e) {
        row.emplace_back(place_of[from_col[e]], e);
      }
      std::sort(row.begin(), row.end());
      int64_t at = to_row[r];
      for (const auto& [column, e] : row) {
        to_col[at] = static_cast<Index>(column);
        entry[at++] = e;
      }
    }
  });
}

Graph graph_in_order(const Graph& graph, const at::Tensor& order,
                     const at::Tensor& place) {
  MovedLists moved;
  moved.in = {rowptr_in_order(graph.in().rowptr, order),
              at::empty_like(graph.in().col)};
  moved.entry = at::empty({graph.num_edges()}, at::kLong);
  if (graph.in().col.scalar_type() == at::kInt) {
    move_lists<int32_t>(graph.in(), order, place, moved);
  } else {
    move_lists<int64_t>(graph.in(), order, place, moved);
  }
  Graph plain = Graph::from_rows(moved.in);
  if (!graph.weights().defined()) return plain;
  const auto follow = [&](const at::Tensor& of_edges) {
    return of_edges.index_select(0, moved.entry);
  };
  const EdgeFactors& factors = graph.factors();
  return Graph::from_lists(plain.in(), plain.out(), plain.edge_of_out(),
                           /*two_hop=*/nullptr,
                           {follow(factors.weight), follow(factors.mean),
                            follow(factors.symmetric)});
}

SparseRows sparse_rows_in_order(const SparseRows& rows,
                                const at::Tensor& order) {
  SparseRows out;
  out.rowptr = rowptr_in_order(rows.rowptr, order);
  const at::Tensor length = out.rowptr.diff();
  // Entry i of the new rows is as far from its row's beginning as before.
  const at::Tensor shift =
      rows.rowptr.index_select(0, order) - out.rowptr.slice(0, 0, -1);
  const at::Tensor entry =
      at::arange(rows.col.numel(), order.options()) +
      shift.repeat_interleave(length, /*dim=*/0, rows.col.numel());
  out.col = rows.col.index_select(0, entry);
  out.value = rows.value.index_select(0, entry);
  return out;
}

NodeFeatures features_in_order(const NodeFeatures& features,
                               const at::Tensor& order) {
  if (features.kind() == NodeFeatures::Kind::dense) {
    return NodeFeatures::dense(features.dense_values().index_select(0, order));
  }
  return NodeFeatures::sparse(sparse_rows_in_order(features.rows(), order),
                              features.num_features());
}

// What is kept by the fingerprint of data must not be taken for this order.
std::string fingerprint_in_order(const std::string& fingerprint,
                                 const at::Tensor& order) {
  if (fingerprint.empty()) return fingerprint;
  core::Sha256 hash;
  hash.update(order.data_ptr<int64_t>(),
              static_cast<size_t>(order.numel()) * sizeof(int64_t));
  return fmt::format("{} in order {}", fingerprint, hash.hex().substr(0, 16));
}

}  // namespace

NodeDataset reordered(const NodeDataset& data, const at::Tensor& given) {
  require_order(data, given);
  const at::Tensor order = given.contiguous();
  const at::Tensor place = places_in(order);
  NodeDataset out = data;
  out.order = order;
  out.graph = graph_in_order(data.graph, order, place);
  out.features = features_in_order(data.features, order);
  out.labels = data.labels.index_select(0, order);
  for (Split& split : out.splits) {
    for (at::Tensor Split::*part : {&Split::train, &Split::val, &Split::test}) {
      split.*part = std::get<0>(place.index_select(0, split.*part).sort());
    }
  }
  for (size_t r = 0; r < out.node_names.size(); ++r) {
    out.node_names[r] =
        data.node_names[static_cast<size_t>(order.data_ptr<int64_t>()[r])];
  }
  out.provenance.fingerprint =
      fingerprint_in_order(data.provenance.fingerprint, order);
  return out;
}

at::Tensor in_loaded_order(const NodeDataset& data, const at::Tensor& rows) {
  if (!data.order.defined()) return rows;
  return rows.index_select(0, places_in(data.order).to(rows.device()));
}

}  // namespace ordered_gnn
