#include "core/weighted_rows.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

// How a message came about. Repeats of one way add up; of two ways the larger
// counts, and an added loop only where no loop is stored.
enum class Cause : int32_t { forward, backward, added_loop };

struct Message {
  int64_t sender;
  float weight;
  Cause cause;
};

void check_weights(const at::Tensor& edges, const at::Tensor& weights) {
  if (weights.dim() != 1 || weights.size(0) != edges.size(1) ||
      weights.scalar_type() != at::kFloat || !weights.device().is_cpu()) {
    fail("weights must be [{}] float32 on the CPU, one per edge",
         edges.size(1));
  }
  const at::Tensor flat = weights.contiguous();
  const float* const weight = flat.data_ptr<float>();
  for (int64_t e = 0; e < flat.numel(); ++e) {
    if (std::isfinite(weight[e]) && weight[e] >= 0) continue;
    fail("edge {} has the weight {}; weights are finite and 0 or more", e,
         weight[e]);
  }
}

// Calls body(receiver, message) for all messages the options ask for.
template <typename Body>
void for_each_message(int64_t num_nodes, const at::Tensor& edges,
                      const GraphOptions& options, const Body& body) {
  const at::Tensor ends = edges.contiguous();
  const at::Tensor weights = options.weights.contiguous();
  const int64_t num_edges = ends.size(1);
  const int64_t* const first = ends.data_ptr<int64_t>();
  const int64_t* const second = first + num_edges;
  const float* const weight = weights.data_ptr<float>();
  const bool forward = options.direction != Direction::reversed;
  const bool backward = options.direction != Direction::as_stored;
  for (int64_t e = 0; e < num_edges; ++e) {
    const bool loop = first[e] == second[e];
    if (loop && options.self_loops == SelfLoops::remove) continue;
    if (forward) body(second[e], Message{first[e], weight[e], Cause::forward});
    if (backward && !(forward && loop)) {
      body(first[e], Message{second[e], weight[e], Cause::backward});
    }
  }
  if (options.self_loops != SelfLoops::add) return;
  for (int64_t v = 0; v < num_nodes; ++v) {
    body(v, Message{v, 1, Cause::added_loop});
  }
}

// The weight of an edge from all messages [begin, end) along it, which are in
// the order of their causes.
float merged(const Message* begin, const Message* end, int64_t receiver,
             WeightedRows& rows) {
  double sum[2] = {0, 0};
  bool found[2] = {false, false};
  for (const Message* m = begin; m != end; ++m) {
    if (m->cause == Cause::added_loop) continue;
    const auto way = static_cast<size_t>(m->cause);
    sum[way] += m->weight;
    found[way] = true;
  }
  if (!found[0] && !found[1]) return begin->weight;
  const double weight = std::max(sum[0], sum[1]);
  if (weight > std::numeric_limits<float>::max()) {
    fail(
        "the weights of the edge from node {} to node {} add up to {}, which "
        "is more than a float32 holds; divide all weights by the same number",
        begin->sender, receiver, weight);
  }
  // Both ends of a pair see it.
  const bool uneven = found[0] && found[1] && sum[0] != sum[1];
  rows.num_uneven_pairs += uneven && begin->sender < receiver;
  return static_cast<float>(weight);
}

}  // namespace

WeightedRows weighted_rows(int64_t num_nodes, const at::Tensor& edges,
                           const GraphOptions& options) {
  check_weights(edges, options.weights);
  std::vector<int64_t> begin(static_cast<size_t>(num_nodes) + 1);
  for_each_message(
      num_nodes, edges, options,
      [&](int64_t receiver, const Message&) { ++begin[receiver + 1]; });
  for (int64_t v = 0; v < num_nodes; ++v) begin[v + 1] += begin[v];
  std::vector<Message> messages(static_cast<size_t>(begin[num_nodes]));
  std::vector<int64_t> next(begin.begin(), begin.end() - 1);
  for_each_message(num_nodes, edges, options,
                   [&](int64_t receiver, const Message& message) {
                     messages[next[receiver]++] = message;
                   });
  WeightedRows rows;
  rows.rowptr.assign(1, 0);
  for (int64_t v = 0; v < num_nodes; ++v) {
    Message* const row = messages.data() + begin[v];
    Message* const end = messages.data() + begin[v + 1];
    // Stable: repeats are added up in the order in which they are stored.
    std::stable_sort(row, end, [](const Message& a, const Message& b) {
      return a.sender != b.sender ? a.sender < b.sender : a.cause < b.cause;
    });
    for (Message* m = row; m != end;) {
      Message* const last = std::find_if(m, end, [m](const Message& other) {
        return other.sender != m->sender;
      });
      rows.col.push_back(m->sender);
      rows.weight.push_back(merged(m, last, v, rows));
      m = last;
    }
    rows.rowptr.push_back(static_cast<int64_t>(rows.col.size()));
  }
  return rows;
}

double weighted_degree(const float* weights, int64_t count) {
  double out = 0;
  for (int64_t e = 0; e < count; ++e) out += weights[e];
  return out == 0 ? 1 : out;
}

namespace {

template <typename Index>
EdgeFactors factors_of(const int64_t* rowptr, const Index* col,
                       const float* weights,
                       const std::vector<double>& degree) {
  const size_t num_nodes = degree.size();
  const int64_t num_edges = rowptr[num_nodes];
  EdgeFactors factors{at::empty({num_edges}, at::kFloat),
                      at::empty({num_edges}, at::kFloat),
                      at::empty({num_edges}, at::kFloat)};
  std::copy_n(weights, num_edges, factors.weight.data_ptr<float>());
  float* const mean = factors.mean.data_ptr<float>();
  float* const symmetric = factors.symmetric.data_ptr<float>();
  for (size_t v = 0; v < num_nodes; ++v) {
    for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
      const double w = weights[e];
      mean[e] = static_cast<float>(w / degree[v]);
      // Two roots: the product of two degrees may be beyond a double.
      symmetric[e] =
          static_cast<float>(w / std::sqrt(degree[v]) /
                             std::sqrt(degree[static_cast<size_t>(col[e])]));
    }
  }
  return factors;
}

}  // namespace

EdgeFactors edge_factors(const WeightedRows& rows) {
  std::vector<double> degree(rows.rowptr.size() - 1);
  for (size_t v = 0; v < degree.size(); ++v) {
    degree[v] = weighted_degree(rows.weight.data() + rows.rowptr[v],
                                rows.rowptr[v + 1] - rows.rowptr[v]);
  }
  return factors_of(rows.rowptr.data(), rows.col.data(), rows.weight.data(),
                    degree);
}

Graph weighted_graph(Adjacency in, const at::Tensor& weights,
                     const std::vector<double>& degrees) {
  EdgeFactors factors =
      factors_of(in.rowptr.data_ptr<int64_t>(), in.col.data_ptr<int32_t>(),
                 weights.data_ptr<float>(), degrees);
  const Graph lists = Graph::from_rows(std::move(in));
  return Graph::from_lists(
      lists.in(), lists.out(), lists.edge_of_out(),
      [lists] { return lists.two_hop(); }, std::move(factors));
}

}  // namespace ordered_gnn::core
