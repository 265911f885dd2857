// Trains on a graph in memory, saves the model and classifies every node.
#include <ordered_gnn/ordered_gnn.h>
#include <torch/types.h>

#include <cstdio>

namespace og = ordered_gnn;

int main() {
  torch::manual_seed(1);
  // 300 nodes of three classes; each hears from three others of its class.
  const auto node = torch::arange(300, torch::kLong);
  const auto labels = node.remainder(3);  // -1 would be: no label
  const auto edges = torch::cat({torch::stack({node, (node + 3) % 300}, 1),
                                 torch::stack({node, (node + 60) % 300}, 1),
                                 torch::stack({node, (node + 99) % 300}, 1)});
  const auto features = torch::one_hot(labels, 3) + torch::randn({300, 3});

  const og::NodeDataset data =
      og::make_dataset(edges, features.to(torch::kFloat), labels);
  og::RunOptions options = og::default_options("ordered_gnn");
  options.network.layers = 4;
  options.network.hidden = 64;
  options.train.epochs = 100;
  const og::Trained trained = og::train(data, /*split=*/0, options);
  std::printf("test accuracy %.3f after %d epochs\n",
              trained.result.test.accuracy,
              static_cast<int>(trained.result.epochs));

  trained.save("model.safetensors");
  const og::Prediction said = og::predict(trained, data);
  std::printf("node 0 is of class %d with probability %.2f\n",
              said.labels[0].item<int>(),
              said.probabilities[0].max().item<float>());
  return trained.result.test.accuracy > 0.8 ? 0 : 1;
}
