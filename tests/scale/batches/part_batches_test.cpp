#include "scale/batches/part_batches.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/ops/ordered_layer.h"
#include "scale/parts_support.h"
#include "scale/ranks/halo_degrees.h"
#include "support/reference.h"
#include "support/temp_dir.h"
#include "train/batch_order.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kWidth = 8, kGates = 2;

// Two layers of the Ordered GNN in double precision.
OrderedLayerParameters random_parameters() {
  const auto options = torch::TensorOptions(torch::kDouble);
  OrderedLayerParameters parameters{torch::randn({kGates, 2 * kWidth}, options),
                                    torch::randn({kGates}, options),
                                    torch::rand({kWidth}, options) + 0.5,
                                    torch::randn({kWidth}, options)};
  return parameters;
}

OrderedLayerParameters leaves_of(const OrderedLayerParameters& from) {
  const auto leaf = [](const at::Tensor& values) {
    return values.clone().set_requires_grad(true);
  };
  return {leaf(from.gate_weight), leaf(from.gate_bias), leaf(from.norm_weight),
          leaf(from.norm_bias)};
}

std::vector<at::Tensor> gradients_of(const OrderedLayerParameters& leaves) {
  return {leaves.gate_weight.grad(), leaves.gate_bias.grad(),
          leaves.norm_weight.grad(), leaves.norm_bias.grad()};
}

at::Tensor network(const Graph& graph, const at::Tensor& x,
                   const OrderedLayerParameters& parameters) {
  const at::Tensor scale = graph.inverse_in_degree();
  const OrderedGateResult first =
      ordered_layer(graph, {x, {}, scale, {}}, parameters, {});
  return ordered_layer(graph, {first.h, first.gate, scale, {}}, parameters, {})
      .h;
}

// A layer by a matrix of messages, one plain op after the other.
OrderedGateResult plain_layer(const at::Tensor& messages, const at::Tensor& h,
                              const at::Tensor& gate,
                              const OrderedLayerParameters& parameters) {
  const at::Tensor m = messages.matmul(h);
  const at::Tensor logits = reference::pair_linear(h, m, parameters.gate_weight,
                                                   parameters.gate_bias);
  OrderedGateResult result =
      reference::ordered_gate(Gating::softor, logits, gate, h, m);
  result.h = reference::layer_norm(result.h, parameters.norm_weight,
                                   parameters.norm_bias);
  return result;
}

// A directed graph in three parts, with the exchange of passes over all.
class BatchOfParts : public ::testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    torch::manual_seed(3);
    const NodeDataset data = load_dataset(
        "synthetic:csbm?nodes=36&classes=3&splits=1&seed=5&features=4&degree=5"
        "&directed=true");
    const auto folder = write_test_parts(data, 3, dir_ / "g.parts");
    manifest_ = read_manifest(folder);
    bounds_ = rank_bounds(manifest_.bounds, 1);
    for (int64_t p = 0; p < 3; ++p) {
      parts_.push_back(read_part(folder, manifest_, p));
      lists_.push_back(local_lists(parts_.back()));
    }
    routes_ = make_routes(group_, manifest_, bounds_, lists_);
    team_ = std::make_unique<PartTeam>(3, 2);
    exchange_ = std::make_unique<HaloExchange>(group_, routes_, *team_, 2);
    batches_ = std::make_unique<PartBatches>(
        group_, manifest_, lists_,
        BatchSettings{/*parts=*/2, GetParam(), /*seed=*/1, /*layers=*/2,
                      /*threads=*/2});
    graphs_.resize(3);
    on_all([&](int64_t p) { graphs_[p] = graph_of(p); });
    x_ = torch::randn({manifest_.num_nodes, kWidth}, torch::kDouble);
  }

  void on_all(const std::function<void(int64_t)>& body) {
    exchange_->reset();
    team_->run(body, [this] { exchange_->abort(); });
  }

  Graph graph_of(int64_t p) {
    const LocalLists& own = lists_[p];
    const auto whole =
        exchange_->of_part(p, static_cast<int64_t>(own.halo.size()));
    std::vector<int64_t> receive_only;
    for (size_t i = 0; i < own.halo.size(); ++i) {
      if (!own.sends[i]) {
        receive_only.push_back(parts_[p].rows() + static_cast<int64_t>(i));
      }
    }
    return Graph::of_part(
        own.in, own.out, degrees_with_halo(own.in.rowptr, receive_only, *whole),
        batches_->exchange_of(p, whole));
  }

  at::Tensor rows_of(const at::Tensor& all, int64_t p) const {
    return all.narrow(0, manifest_.bounds[p], manifest_.rows_of(p));
  }

  // What every node hears, by new ids: means, of members alone where nobody
  // else is heard.
  at::Tensor messages(const at::Tensor& is_member) const {
    const at::Tensor heard = torch::zeros(
        {manifest_.num_nodes, manifest_.num_nodes}, torch::kDouble);
    auto weight = heard.accessor<double, 2>();
    for (const Part& part : parts_) {
      const at::Tensor columns = part.in.col.to(torch::kLong);
      const auto begin = part.in.rowptr.accessor<int64_t, 1>();
      const auto col = columns.accessor<int64_t, 1>();
      for (int64_t v = 0; v < part.rows(); ++v) {
        for (int64_t e = begin[v]; e < begin[v + 1]; ++e) {
          weight[part.first + v][col[e]] += 1;
        }
      }
    }
    const at::Tensor counted = GetParam() ? heard : heard * is_member;
    return counted / counted.sum(1, true).clamp_min(1);
  }

  const TempDir dir_;
  PartsManifest manifest_;
  SingleGroup group_;
  std::vector<int64_t> bounds_;
  std::vector<Part> parts_;
  std::vector<LocalLists> lists_;
  RankRoutes routes_;
  std::unique_ptr<PartTeam> team_;
  std::unique_ptr<HaloExchange> exchange_;
  std::unique_ptr<PartBatches> batches_;
  std::vector<Graph> graphs_;
  at::Tensor x_;  ///< of all nodes, by new ids
};

// States of a model that has since changed are what members hear of others;
// gradients of a step are those of plain ops to which such states are numbers.
TEST_P(BatchOfParts, HasTheGradientsOfAPlainReference) {
  const OrderedLayerParameters before = random_parameters();
  const OrderedLayerParameters now = random_parameters();
  const at::Tensor seen =
      torch::randn({manifest_.num_nodes, kWidth}, torch::kDouble);
  batches_->begin_whole();
  on_all([&](int64_t p) {
    const torch::NoGradGuard no_grad;
    network(graphs_[p], rows_of(x_, p), before);
  });
  const std::vector<int64_t> members =
      training::draw_batches(3, 2, 1, /*epoch=*/4)[0];

  std::vector<at::Tensor> x(3), out(3);
  std::vector<OrderedLayerParameters> leaves(3);
  const std::vector<int64_t> ran =
      batches_->run(/*epoch=*/4, /*batch=*/0, [&](int64_t p, double weight) {
        EXPECT_EQ(weight, 3.0 / static_cast<double>(members.size()));
        x[p] = rows_of(x_, p).clone().set_requires_grad(true);
        leaves[p] = leaves_of(now);
        out[p] = network(batches_->graph_of(p, graphs_[p]), x[p], leaves[p]);
        (out[p] * rows_of(seen, p)).sum().backward();
      });
  EXPECT_EQ(ran, members);

  const at::Tensor is_member =
      torch::zeros({manifest_.num_nodes}, torch::kDouble);
  for (const int64_t p : members) rows_of(is_member, p).fill_(1);
  const at::Tensor mixed = is_member.unsqueeze(1);
  const at::Tensor all = messages(is_member);
  const at::Tensor no_gate =
      torch::zeros({manifest_.num_nodes, kGates}, torch::kDouble);
  const at::Tensor history = plain_layer(all, x_, no_gate, before).h;
  const at::Tensor whole_x = x_.clone().set_requires_grad(true);
  const OrderedLayerParameters whole = leaves_of(now);
  const at::Tensor start = mixed * whole_x + (1 - mixed) * x_;
  const OrderedGateResult first = plain_layer(all, start, no_gate, whole);
  const OrderedGateResult second = plain_layer(
      all, mixed * first.h + (1 - mixed) * history, first.gate, whole);
  (second.h * seen * mixed).sum().backward();

  for (const int64_t p : members) {
    EXPECT_TRUE(torch::allclose(out[p], rows_of(second.h, p), 1e-10, 1e-12));
    EXPECT_TRUE(
        torch::allclose(x[p].grad(), rows_of(whole_x.grad(), p), 1e-9, 1e-11));
  }
  const std::vector<at::Tensor> want = gradients_of(whole);
  for (size_t i = 0; i < want.size(); ++i) {
    at::Tensor sum = torch::zeros_like(want[i]);
    for (const int64_t p : members) sum += gradients_of(leaves[p])[i];
    EXPECT_TRUE(torch::allclose(sum, want[i], 1e-9, 1e-11)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(History, BatchOfParts, ::testing::Bool(),
                         [](const auto& info) {
                           return info.param ? "On" : "Off";
                         });

}  // namespace
}  // namespace ordered_gnn::scale
