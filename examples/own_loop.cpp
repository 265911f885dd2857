// A training loop of one's own around the Ordered GNN, with LibTorch's
// optimiser, and the gates of the trained network read out: how much of a node
// stays its own, layer by layer.
#include <ordered_gnn/ordered_gnn.h>
#include <torch/optim/adam.h>

#include <cstdio>

namespace og = ordered_gnn;

int main() {
  const og::NodeDataset data =
      og::load_dataset("synthetic:csbm?nodes=600&homophily=0.8");
  const at::Tensor& train = data.splits[0].train;
  const at::Tensor labels = data.labels.index_select(0, train);

  og::OrderedGnnOptions options;
  options.layers = 4;
  options.hidden = 64;
  const og::ModelShape shape{data.features.num_features(), data.num_classes,
                             data.features.kind(), data.num_nodes()};
  og::OrderedGnn model(shape, options, /*seed=*/1);
  torch::optim::Adam optimizer(model.parameters(), 0.005);

  og::ForwardContext context;
  context.training = true;
  double loss_value = 0;
  for (int64_t step = 1; step <= 60; ++step) {
    context.step = step;
    optimizer.zero_grad();
    const at::Tensor logits = model.forward(data.graph, data.features, context);
    const at::Tensor loss = og::cross_entropy(logits, train, labels);
    loss.backward();
    optimizer.step();
    loss_value = loss.item<double>();
  }

  const torch::NoGradGuard no_grad;
  og::ForwardTrace trace;
  model.forward(data.graph, data.features, /*context=*/{}, &trace);
  for (size_t k = 0; k < trace.gates.size(); ++k) {  // [N, gates] per layer
    std::printf("layer %zu: %.0f %% of a node stays as it is\n", k + 1,
                100 * trace.gates[k].mean().item<double>());
  }
  std::printf("loss %.3f\n", loss_value);
  return trace.gates.size() == 4 && loss_value < 1 ? 0 : 1;
}
