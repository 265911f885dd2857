#include "ordered_gnn/core/graph.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <limits>
#include <mutex>

#include "core/names.h"
#include "core/two_hop.h"
#include "core/weighted_rows.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

// A compressed list under construction, with 64-bit columns.
struct Rows {
  std::vector<int64_t> rowptr;
  std::vector<int64_t> col;
};

void check_edges(int64_t num_nodes, const at::Tensor& edges) {
  if (num_nodes < 0) fail("a graph needs 0 or more nodes, got {}", num_nodes);
  if (edges.dim() != 2 || edges.size(0) != 2 ||
      edges.scalar_type() != at::kLong) {
    fail("edges must be [2, E] int64, got {} dimensions of type {}",
         edges.dim(), c10::toString(edges.scalar_type()));
  }
  const at::Tensor ends = edges.contiguous();
  const int64_t num_edges = ends.size(1);
  const int64_t* const id = ends.data_ptr<int64_t>();
  for (int64_t i = 0; i < 2 * num_edges; ++i) {
    if (id[i] < 0 || id[i] >= num_nodes) {
      fail(
          "edge {} names node {}, but nodes are 0 to {}; add the node or drop "
          "the edge",
          i % num_edges, id[i], num_nodes - 1);
    }
  }
}

// Counting sort by `key`: returns for every key the `value`s in input order.
Rows group_by(int64_t num_keys, const int64_t* key, const int64_t* value,
              int64_t size) {
  Rows rows;
  rows.rowptr.assign(num_keys + 1, 0);
  rows.col.resize(size);
  for (int64_t i = 0; i < size; ++i) ++rows.rowptr[key[i] + 1];
  for (int64_t k = 0; k < num_keys; ++k) rows.rowptr[k + 1] += rows.rowptr[k];
  std::vector<int64_t> next(rows.rowptr.begin(), rows.rowptr.end() - 1);
  for (int64_t i = 0; i < size; ++i) rows.col[next[key[i]]++] = value[i];
  return rows;
}

// Sorts every row and drops repeats in place; returns how many were dropped.
int64_t sort_and_deduplicate(Rows& rows) {
  const int64_t num_rows = static_cast<int64_t>(rows.rowptr.size()) - 1;
  int64_t write = 0;
  int64_t begin = 0;
  for (int64_t r = 0; r < num_rows; ++r) {
    const int64_t end = rows.rowptr[r + 1];
    std::sort(rows.col.begin() + begin, rows.col.begin() + end);
    const int64_t row_start = write;
    for (int64_t e = begin; e < end; ++e) {
      if (write > row_start && rows.col[write - 1] == rows.col[e]) continue;
      rows.col[write++] = rows.col[e];
    }
    rows.rowptr[r + 1] = write;
    begin = end;
  }
  const int64_t dropped = static_cast<int64_t>(rows.col.size()) - write;
  rows.col.resize(write);
  return dropped;
}

at::Tensor to_index_tensor(const std::vector<int64_t>& values, bool narrow) {
  const at::Tensor wide =
      at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), wide.data_ptr<int64_t>());
  return narrow ? wide.to(at::kInt) : wide;
}

Adjacency to_adjacency(const Rows& rows) {
  const int64_t num_rows = static_cast<int64_t>(rows.rowptr.size()) - 1;
  const bool narrow = num_rows <= std::numeric_limits<int32_t>::max();
  return {to_index_tensor(rows.rowptr, false),
          to_index_tensor(rows.col, narrow)};
}

// Receivers and senders of all messages the options ask for.
struct Messages {
  std::vector<int64_t> receiver;
  std::vector<int64_t> sender;
};

Messages collect_messages(int64_t num_nodes, const at::Tensor& edges,
                          const GraphOptions& options) {
  const at::Tensor ends = edges.contiguous();
  const int64_t num_edges = ends.size(1);
  const int64_t* const first = ends.data_ptr<int64_t>();
  const int64_t* const second = first + num_edges;
  const bool forward = options.direction != Direction::reversed;
  const bool backward = options.direction != Direction::as_stored;
  const bool drop_loops = options.self_loops != SelfLoops::keep;
  Messages out;
  const int64_t per_edge = (forward ? 1 : 0) + (backward ? 1 : 0);
  out.receiver.reserve(per_edge * num_edges + num_nodes);
  out.sender.reserve(per_edge * num_edges + num_nodes);
  const auto add = [&](int64_t sender, int64_t receiver) {
    out.sender.push_back(sender);
    out.receiver.push_back(receiver);
  };
  for (int64_t e = 0; e < num_edges; ++e) {
    const bool loop = first[e] == second[e];
    if (loop && drop_loops) continue;
    if (forward) add(first[e], second[e]);
    if (backward && !(forward && loop)) add(second[e], first[e]);
  }
  if (options.self_loops == SelfLoops::add) {
    for (int64_t v = 0; v < num_nodes; ++v) add(v, v);
  }
  return out;
}

Rows unweighted_rows(int64_t num_nodes, const at::Tensor& edges,
                     const GraphOptions& options) {
  const Messages messages = collect_messages(num_nodes, edges, options);
  Rows rows =
      group_by(num_nodes, messages.receiver.data(), messages.sender.data(),
               static_cast<int64_t>(messages.receiver.size()));
  sort_and_deduplicate(rows);
  return rows;
}

template <typename Index>
int64_t count_loops(const int64_t* rowptr, const Index* col, int64_t num_rows) {
  int64_t loops = 0;
  for (int64_t r = 0; r < num_rows; ++r) {
    loops += std::binary_search(col + rowptr[r], col + rowptr[r + 1],
                                static_cast<Index>(r));
  }
  return loops;
}

int64_t count_loops(const Adjacency& in) {
  const int64_t* const rowptr = in.rowptr.data_ptr<int64_t>();
  const int64_t num_rows = in.rowptr.numel() - 1;
  return in.col.scalar_type() == at::kInt
             ? count_loops(rowptr, in.col.data_ptr<int32_t>(), num_rows)
             : count_loops(rowptr, in.col.data_ptr<int64_t>(), num_rows);
}

// Stored ordered pairs that repeat an earlier one, whatever the options.
int64_t count_duplicates(int64_t num_nodes, const at::Tensor& edges) {
  const at::Tensor ends = edges.contiguous();
  const int64_t num_edges = ends.size(1);
  const int64_t* const first = ends.data_ptr<int64_t>();
  Rows rows = group_by(num_nodes, first, first + num_edges, num_edges);
  return sort_and_deduplicate(rows);
}

template <typename Index>
void fill_transpose(const Adjacency& in, int64_t num_nodes, Adjacency& out,
                    at::Tensor& edge_of_out) {
  const int64_t* const rowptr = in.rowptr.data_ptr<int64_t>();
  const Index* const col = in.col.data_ptr<Index>();
  int64_t* const out_rowptr = out.rowptr.data_ptr<int64_t>();
  Index* const out_col = out.col.data_ptr<Index>();
  int64_t* const edge = edge_of_out.data_ptr<int64_t>();
  for (int64_t e = 0; e < rowptr[num_nodes]; ++e) ++out_rowptr[col[e] + 1];
  for (int64_t v = 0; v < num_nodes; ++v) out_rowptr[v + 1] += out_rowptr[v];
  std::vector<int64_t> next(out_rowptr, out_rowptr + num_nodes);
  for (int64_t v = 0; v < num_nodes; ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      const int64_t slot = next[col[e]]++;
      out_col[slot] = static_cast<Index>(v);
      edge[slot] = e;
    }
  }
}

const std::vector<std::string> kDirectionNames = {"as_stored", "reversed",
                                                  "undirected"};
const std::vector<std::string> kSelfLoopNames = {"keep", "remove", "add"};

}  // namespace

std::string to_string(Direction direction) {
  return kDirectionNames[static_cast<size_t>(direction)];
}
std::string to_string(SelfLoops self_loops) {
  return kSelfLoopNames[static_cast<size_t>(self_loops)];
}
Direction parse_direction(const std::string& name) {
  return core::parse_enum<Direction>("direction", name, kDirectionNames);
}
SelfLoops parse_self_loops(const std::string& name) {
  return core::parse_enum<SelfLoops>("self-loop treatment", name,
                                     kSelfLoopNames);
}

struct Graph::State {
  int64_t num_nodes = 0;
  int64_t num_self_loops = 0;
  int64_t num_duplicates = 0;
  int64_t num_uneven_pairs = 0;
  Adjacency in;
  EdgeFactors factors;
  std::shared_ptr<core::RowExchange> exchange;
  at::Tensor inverse_in_degree;
  std::once_flag transposed;
  Adjacency out;
  at::Tensor edge_of_out;
  // Where a graph was moved from: its edge_of_out is as large as all lists
  // together, and few aggregations ask for it.
  std::shared_ptr<State> origin;
  std::once_flag edges_moved;
  std::once_flag two_hop_built;
  std::function<Graph()> make_two_hop;  // null: from `in`, on the CPU
  std::unique_ptr<Graph> two_hop;

  void set_in(Adjacency lists, const at::Tensor& in_degree = {}) {
    in = std::move(lists);
    num_nodes = in.rowptr.numel() - 1;
    const at::Tensor degree =
        in_degree.defined() ? in_degree : in.rowptr.diff();
    inverse_in_degree = degree.clamp_min(1).to(at::kDouble).reciprocal();
  }

  void transpose() {
    out.rowptr = at::zeros({num_nodes + 1}, at::kLong);
    out.col = at::empty_like(in.col);
    edge_of_out = at::empty({in.col.numel()}, at::kLong);
    if (in.col.scalar_type() == at::kInt) {
      fill_transpose<int32_t>(in, num_nodes, out, edge_of_out);
    } else {
      fill_transpose<int64_t>(in, num_nodes, out, edge_of_out);
    }
  }
};

Graph::Graph() : Graph(from_edges(0, at::empty({2, 0}, at::kLong))) {}

Graph::Graph(std::shared_ptr<State> state) : state_(std::move(state)) {}

Graph Graph::from_edges(int64_t num_nodes, const at::Tensor& edges,
                        const GraphOptions& options) {
  check_edges(num_nodes, edges);
  auto state = std::make_shared<State>();
  Rows rows;
  if (options.weights.defined()) {
    core::WeightedRows weighted =
        core::weighted_rows(num_nodes, edges, options);
    state->factors = core::edge_factors(weighted);
    state->num_uneven_pairs = weighted.num_uneven_pairs;
    rows = {std::move(weighted.rowptr), std::move(weighted.col)};
  } else {
    rows = unweighted_rows(num_nodes, edges, options);
  }
  state->set_in(to_adjacency(rows));
  state->num_self_loops = count_loops(state->in);
  state->num_duplicates = count_duplicates(num_nodes, edges);
  return Graph(std::move(state));
}

Graph Graph::from_lists(Adjacency in, Adjacency out, at::Tensor edge_of_out,
                        std::function<Graph()> two_hop, EdgeFactors factors) {
  auto state = std::make_shared<State>();
  state->set_in(std::move(in));
  state->factors = std::move(factors);
  state->make_two_hop = std::move(two_hop);
  std::call_once(state->transposed, [&] {
    state->out = std::move(out);
    state->edge_of_out = std::move(edge_of_out);
  });
  return Graph(std::move(state));
}

Graph Graph::from_rows(Adjacency in, const at::Tensor& in_degree,
                       std::function<Graph()> two_hop) {
  auto state = std::make_shared<State>();
  state->set_in(std::move(in), in_degree);
  state->num_self_loops = count_loops(state->in);
  state->make_two_hop = std::move(two_hop);
  return Graph(std::move(state));
}

Graph Graph::of_part(Adjacency in, Adjacency out, const at::Tensor& in_degree,
                     std::shared_ptr<core::RowExchange> exchange) {
  auto state = std::make_shared<State>();
  state->set_in(std::move(in), in_degree);
  std::call_once(state->transposed, [&] { state->out = std::move(out); });
  state->exchange = std::move(exchange);
  state->make_two_hop = []() -> Graph {
    fail("a part of a graph does not know all neighbours two hops away");
  };
  return Graph(std::move(state));
}

Graph Graph::from_edges(int64_t num_nodes,
                        const std::vector<std::pair<int64_t, int64_t>>& edges,
                        const GraphOptions& options) {
  const auto num_edges = static_cast<int64_t>(edges.size());
  const at::Tensor ends = at::empty({2, num_edges}, at::kLong);
  int64_t* const id = ends.data_ptr<int64_t>();
  for (int64_t e = 0; e < num_edges; ++e) {
    id[e] = edges[e].first;
    id[num_edges + e] = edges[e].second;
  }
  return from_edges(num_nodes, ends, options);
}

Graph Graph::to(at::Device device) const {
  if (in().rowptr.device() == device) return *this;
  const auto moved = [device](const Adjacency& lists) -> Adjacency {
    return {lists.rowptr.to(device), lists.col.to(device)};
  };
  auto state = std::make_shared<State>();
  state->num_nodes = state_->num_nodes;
  state->num_self_loops = state_->num_self_loops;
  state->num_duplicates = state_->num_duplicates;
  state->num_uneven_pairs = state_->num_uneven_pairs;
  state->in = moved(in());
  if (weights().defined()) {
    state->factors = {factors().weight.to(device), factors().mean.to(device),
                      factors().symmetric.to(device)};
  }
  state->inverse_in_degree = inverse_in_degree().to(device);
  std::call_once(state->transposed, [&] { state->out = moved(out()); });
  if (state_->exchange) {
    // Of a part there is nothing to be made later.
    state->exchange = state_->exchange;
    state->make_two_hop = state_->make_two_hop;
    return Graph(std::move(state));
  }
  state->origin = state_->origin ? state_->origin : state_;
  state->make_two_hop = [here = *this, device] {
    return here.two_hop().to(device);
  };
  return Graph(std::move(state));
}

int64_t Graph::num_nodes() const { return state_->num_nodes; }
int64_t Graph::num_edges() const { return state_->in.col.numel(); }
int64_t Graph::num_self_loops() const { return state_->num_self_loops; }
int64_t Graph::num_duplicates() const { return state_->num_duplicates; }
int64_t Graph::num_uneven_pairs() const { return state_->num_uneven_pairs; }
const Adjacency& Graph::in() const { return state_->in; }
const EdgeFactors& Graph::factors() const { return state_->factors; }
const std::shared_ptr<core::RowExchange>& Graph::exchange() const {
  return state_->exchange;
}

const Adjacency& Graph::out() const {
  std::call_once(state_->transposed, [this] { state_->transpose(); });
  return state_->out;
}

const at::Tensor& Graph::edge_of_out() const {
  out();
  if (state_->origin) {
    std::call_once(state_->edges_moved, [this] {
      const Graph origin(state_->origin);
      state_->edge_of_out = origin.edge_of_out().to(in().col.device());
    });
  }
  return state_->edge_of_out;
}

const at::Tensor& Graph::inverse_in_degree() const {
  return state_->inverse_in_degree;
}

const Graph& Graph::two_hop() const {
  std::call_once(state_->two_hop_built, [this] {
    if (state_->make_two_hop) {
      state_->two_hop = std::make_unique<Graph>(state_->make_two_hop());
      return;
    }
    auto derived = std::make_shared<State>();
    derived->set_in(core::two_hop_lists(state_->in));
    state_->two_hop.reset(new Graph(Graph(std::move(derived))));
  });
  return *state_->two_hop;
}

}  // namespace ordered_gnn
