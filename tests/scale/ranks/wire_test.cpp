// Bytes that are counted on the wire, against what follows from graph, parts
// and masks alone.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>
#include <functional>
#include <set>

#include "ordered_gnn/ops/dropout.h"
#include "scale/parts/estimate.h"
#include "scale/training_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// Nodes of other ranks that a rank needs, for every rank: those in its rows of
// a list, where rows and nodes fit.
using Wanted = std::function<bool(int64_t node)>;
std::vector<std::set<int64_t>> halos(const Adjacency& lists,
                                     const std::vector<int64_t>& rank_of,
                                     int64_t ranks, const Wanted& is_row,
                                     const Wanted& is_other) {
  std::vector<std::set<int64_t>> out(ranks);
  const at::Tensor col = lists.col.to(torch::kLong);
  for (int64_t v = 0; v + 1 < lists.rowptr.numel(); ++v) {
    if (!is_row(v)) continue;
    for (int64_t e = lists.rowptr[v].item<int64_t>();
         e < lists.rowptr[v + 1].item<int64_t>(); ++e) {
      const int64_t u = col[e].item<int64_t>();
      if (rank_of[u] != rank_of[v] && is_other(u)) out[rank_of[v]].insert(u);
    }
  }
  return out;
}

int64_t count(const std::vector<std::set<int64_t>>& halos) {
  int64_t sum = 0;
  for (const auto& halo : halos) sum += static_cast<int64_t>(halo.size());
  return sum;
}

class WireTest : public testing::Test {
 protected:
  void cut(int64_t parts) {
    const scale::Assignment assignment =
        scale::assign_parts(data_, parts, "stream");
    plan_ = scale::make_plan(assignment, parts);
    scale::write_parts(data_, assignment, parts, "stream", dir_ / "g.parts",
                       true);
    assignment_ = assignment;
  }

  std::vector<int64_t> rank_of_nodes(int64_t ranks) const {
    const std::vector<int64_t> bounds = scale::rank_bounds(plan_.bounds, ranks);
    std::vector<int64_t> rank_of;
    for (const int32_t part : assignment_) {
      rank_of.push_back(std::upper_bound(bounds.begin(), bounds.end(), part) -
                        bounds.begin() - 1);
    }
    return rank_of;
  }

  // Elements that the mask of a layer keeps of the rows of halos.
  int64_t kept(const std::vector<std::set<int64_t>>& halos, int64_t epoch,
               int64_t layer) const {
    const OrderedGnnOptions& network = options_.network;
    const at::Tensor ones = torch::ones({data_.num_nodes(), network.hidden});
    const at::Tensor mask =
        dropout(ones, network.dropout_xi,
                {options_.train.seed, epoch, network.mlp_layers + layer});
    int64_t elements = 0;
    for (const auto& halo : halos) {
      for (const int64_t node : halo) {
        elements += mask[node].ne(0).sum().item<int64_t>();
      }
    }
    return elements;
  }

  int64_t exact_bytes(int64_t ranks, int64_t evaluations) const {
    const auto rank_of = rank_of_nodes(ranks);
    std::set<int64_t> trained;
    const at::Tensor train = data_.splits[0].train;
    for (int64_t i = 0; i < train.numel(); ++i) {
      trained.insert(train[i].item<int64_t>());
    }
    const Wanted any = [](int64_t) { return true; };
    const Wanted is_trained = [&](int64_t node) {
      return trained.count(node) > 0;
    };
    const Graph& graph = data_.graph;
    const auto in = halos(graph.in(), rank_of, ranks, any, any);
    const auto out = halos(graph.out(), rank_of, ranks, any, any);
    const auto last_in = halos(graph.in(), rank_of, ranks, is_trained, any);
    const auto last_out = halos(graph.out(), rank_of, ranks, any, is_trained);
    const int64_t layers = options_.network.layers;
    const int64_t width = options_.network.hidden;
    int64_t elements = evaluations * layers * width * count(in);
    for (int64_t epoch = 1; epoch <= options_.train.epochs; ++epoch) {
      for (int64_t layer = 0; layer < layers; ++layer) {
        const bool is_last = layer + 1 == layers;
        elements += kept(is_last ? last_in : in, epoch, layer) +
                    width * count(is_last ? last_out : out);
      }
    }
    return 4 * elements;
  }

  TempDir dir_;
  NodeDataset data_ = parts_data("&directed=true");
  RunOptions options_ = small_run();
  scale::Assignment assignment_;
  scale::PartsPlan plan_;
};

TEST_F(WireTest, HasTheBytesThatTheFormulaCountsAndNoOther) {
  cut(4);
  for (const int64_t ranks : {1, 2, 3, 4}) {
    // The best epoch is scored once more in the end.
    const scale::WireCount wire =
        train_locally(dir_ / "g.parts", options_, ranks).wire;
    EXPECT_EQ(wire.bytes, exact_bytes(ranks, options_.train.epochs + 1))
        << ranks;
    EXPECT_EQ(wire.bytes > 0, ranks > 1);
    // What is expected is what is predicted of the graph.
    const scale::HaloRows halo =
        scale::halo_rows(data_.graph, plan_, ranks, data_.splits[0].train);
    const OrderedGnnOptions& network = options_.network;
    const scale::WireRows rows{network.layers, network.hidden,
                               network.dropout_xi};
    const double expected =
        static_cast<double>(options_.train.epochs) *
            static_cast<double>(scale::training_wire_bytes(halo, rows)) +
        static_cast<double>(options_.train.epochs + 1) *
            static_cast<double>(scale::evaluation_wire_bytes(halo, rows));
    EXPECT_NEAR(wire.expected, expected,
                static_cast<double>(options_.train.epochs));
    EXPECT_NEAR(static_cast<double>(wire.bytes), expected, 0.02 * expected);
  }
}

TEST_F(WireTest, SkipsEvaluationsThatAreNotAskedFor) {
  cut(3);
  options_.train.epochs = 7;
  options_.train.eval_every = 3;
  EXPECT_EQ(train_locally(dir_ / "g.parts", options_, 3).wire.bytes,
            exact_bytes(3, /*evaluations=*/4));
}

TEST_F(WireTest, WholeRowsTravelWithoutDropout) {
  cut(3);
  options_.network.dropout_xi = 0;
  const scale::WireCount wire =
      train_locally(dir_ / "g.parts", options_, 3).wire;
  EXPECT_EQ(wire.bytes, exact_bytes(3, options_.train.epochs + 1));
  EXPECT_DOUBLE_EQ(wire.expected, static_cast<double>(wire.bytes));
}

// As many elements as dropout keeps, and nothing else, whatever the width.
TEST(RowLayout, IsThatOfTheKeptElements) {
  const std::vector<int64_t> nodes = {7, 0, 123456789, 3};
  for (const int64_t dim : {1, 31, 64, 100, 192}) {
    const core::RowKnowledge known{0.4, {11, 5, 2}, false};
    const scale::RowLayout layout(nodes, dim, known);
    int64_t begin = 0;
    for (size_t r = 0; r < nodes.size(); ++r) {
      EXPECT_EQ(layout.begin(static_cast<int64_t>(r)), begin);
      const at::Tensor step =
          torch::tensor({int64_t{5}, nodes[r]}, torch::kLong);
      const at::Tensor mask =
          dropout(torch::ones({1, dim}), 0.4, {11, {step}, 2})[0].ne(0);
      std::vector<int64_t> columns;
      layout.for_row(static_cast<int64_t>(r),
                     [&](int64_t column, int64_t element) {
                       EXPECT_EQ(element, static_cast<int64_t>(columns.size()));
                       columns.push_back(column);
                     });
      const at::Tensor expected = mask.nonzero().flatten();
      EXPECT_TRUE(torch::equal(torch::tensor(columns, torch::kLong), expected))
          << dim;
      begin += expected.numel();
    }
    EXPECT_EQ(layout.begin(4), begin);
  }
}

}  // namespace
}  // namespace ordered_gnn
