// Loads a checkpoint, of this program's neighbour or of `ognn train`, and
// classifies the nodes of a graph that the model has never seen.
#include <ordered_gnn/ordered_gnn.h>
#include <torch/types.h>

#include <cstdio>

namespace og = ordered_gnn;

int main(int argc, char** argv) {
  try {
    const og::Trained trained =
        og::load_trained(argc > 1 ? argv[1] : "model.safetensors");
    // Another graph with the same features, treated as the one trained on.
    const auto edges = torch::tensor({{0, 1}, {1, 2}, {2, 0}, {3, 4}});
    const auto features = torch::rand({5, trained.shape.num_features});
    og::ArrayOptions how;
    how.treatment = trained.options.data.treatment;
    const og::NodeDataset graph = og::make_dataset(edges, features, {}, how);
    const og::Prediction said = og::predict(trained, graph);
    for (int64_t v = 0; v < graph.num_nodes(); ++v) {
      std::printf("node %d: class %d, probability %.2f\n", static_cast<int>(v),
                  said.labels[v].item<int>(),
                  said.probabilities[v].max().item<float>());
    }
    return said.labels.numel() == 5 ? 0 : 1;
  } catch (const og::Error& error) {  // what went wrong and what to do
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
