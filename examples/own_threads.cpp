// Embeds the library in a program that runs LibTorch with threads of its own:
// training beside other work, on as many threads as it is given, and LibTorch's
// settings are after a call what they were before.
#include <ATen/Parallel.h>
#include <ordered_gnn/ordered_gnn.h>
#include <torch/types.h>

#include <cstdio>
#include <thread>

namespace og = ordered_gnn;

int main() {
  at::set_num_threads(2);  // the program's own choice
  const og::NodeDataset data =
      og::load_dataset("synthetic:csbm?nodes=600&homophily=0.8");
  og::RunOptions options = og::default_options();
  options.network.layers = 2;
  options.network.hidden = 32;
  options.train.epochs = 40;
  options.execution.threads = 1;  // of the library's kernels

  og::Trained trained;
  std::thread beside([&] {
    og::TrainHooks hooks;
    hooks.on_epoch = [](const og::EpochReport& report) {
      if (report.epoch % 20 == 0) {
        std::printf("epoch %d: validation %.3f\n",
                    static_cast<int>(report.epoch), report.val.accuracy);
      }
    };
    trained = og::train(data, /*split=*/0, options, hooks);
  });
  // The program's own work goes on meanwhile, with its own threads.
  const at::Tensor a = torch::rand({400, 400});
  double sum = 0;
  for (int i = 0; i < 20; ++i) sum += a.mm(a).mean().item<double>();
  beside.join();

  std::printf("own work %.1f, test accuracy %.3f, LibTorch has %d threads\n",
              sum, trained.result.test.accuracy, at::get_num_threads());
  return at::get_num_threads() == 2 ? 0 : 1;
}
