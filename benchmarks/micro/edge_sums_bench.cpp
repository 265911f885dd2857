// The sums over neighbours that models are made of, beside the mean: what
// weights per edge and heads cost.
#include <benchmark/benchmark.h>

#include <functional>
#include <string>

#include "micro/benches.h"
#include "micro/pubmed_shape.h"
#include "ordered_gnn/ops/edge_softmax.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "ordered_gnn/ops/propagate.h"
#include "ordered_gnn/ops/scaled_aggregate.h"
#include "ordered_gnn/ops/weighted_aggregate.h"

namespace ordered_gnn::bench {
namespace {

using Sum = std::function<at::Tensor(const at::Tensor& h)>;

void forward_and_backward(benchmark::State& state, const Sum& sum) {
  const at::Tensor h = noise({kNodes, kWidth}).requires_grad_();
  const at::Tensor grad = noise({kNodes, kWidth});
  const auto step = [&] {
    h.mutable_grad().reset();
    sum(h).backward(grad);
  };
  step();  // builds what is built once, such as transposes
  for (auto _ : state) step();
  state.SetItemsProcessed(state.iterations() * pubmed_graph().num_edges());
}

void add(const std::string& name, const Sum& sum) {
  benchmark::RegisterBenchmark(
      ("edge_sums/" + name).c_str(),
      [=](benchmark::State& state) { forward_and_backward(state, sum); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

// Weights from scores, as attention has them, with gradients for both.
Sum attention(int64_t heads) {
  return [score = noise({pubmed_graph().num_edges(), heads}).requires_grad_()](
             const at::Tensor& h) {
    score.mutable_grad().reset();
    return weighted_aggregate(pubmed_graph(),
                              edge_softmax(pubmed_graph(), score), h);
  };
}

// The softmax over edges alone: what attention has besides the weighted sum.
void softmax_alone(benchmark::State& state, int64_t heads) {
  const at::Tensor score =
      noise({pubmed_graph().num_edges(), heads}).requires_grad_();
  const at::Tensor grad = noise({pubmed_graph().num_edges(), heads});
  for (auto _ : state) {
    score.mutable_grad().reset();
    edge_softmax(pubmed_graph(), score).backward(grad);
  }
}

void add_softmax(const std::string& name, int64_t heads) {
  benchmark::RegisterBenchmark(
      ("edge_sums/" + name).c_str(),
      [=](benchmark::State& state) { softmax_alone(state, heads); })
      ->Unit(benchmark::kMillisecond)
      ->UseRealTime();
}

Sum weighted(int64_t heads, bool needs_gradient) {
  return [weight = noise({pubmed_graph().num_edges(), heads})
                       .requires_grad_(needs_gradient)](const at::Tensor& h) {
    weight.mutable_grad().reset();
    return weighted_aggregate(pubmed_graph(), weight, h);
  };
}

}  // namespace

void add_edge_sums() {
  add("mean",
      [](const at::Tensor& h) { return mean_aggregate(pubmed_graph(), h); });
  add("gcn",
      [](const at::Tensor& h) { return gcn_aggregate(pubmed_graph(), h); });
  add("propagation_of_one_hop", [](const at::Tensor& h) {
    return propagate(pubmed_graph(), h, {/*start_share=*/0.1, /*hops=*/1, {}});
  });
  add("given_weights", weighted(1, false));
  add("learned_weights", weighted(1, true));
  add_softmax("edge_softmax_of_1_head", 1);
  add_softmax("edge_softmax_of_8_heads", 8);
  add("attention_of_1_head", attention(1));
  add("attention_of_8_heads", attention(8));
}

}  // namespace ordered_gnn::bench
