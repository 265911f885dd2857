// An outside program: trains two epochs with the installed library.
#include <ordered_gnn/data/registry.h>
#include <ordered_gnn/train/trainer.h>
#include <ordered_gnn/version.h>

#include <cstdio>

int main() {
  ordered_gnn::RunOptions options;
  options.data.data = "synthetic:csbm?nodes=200&splits=1";
  options.network.layers = 2;
  options.network.hidden = 16;
  options.train.epochs = 2;
  const ordered_gnn::NodeDataset data = ordered_gnn::load_dataset(options.data);
  const ordered_gnn::RunResult result =
      ordered_gnn::train_split(data, 0, options);
  std::printf("ordered_gnn %s trained %d epochs, test accuracy %.3f\n",
              ordered_gnn::kVersion, static_cast<int>(result.epochs),
              result.test.accuracy);
  return result.epochs == 2 ? 0 : 1;
}
