#include "fuzz/served.h"

#include <unistd.h>

#include "data/formats/npz/dataset.h"
#include "fuzz/samples.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

fs::path made_sample() {
  fs::path folder =
      fs::temp_directory_path() / fmt::format("ognn-served-{}", ::getpid());
  fs::remove_all(folder);
  fs::create_directories(folder);
  DataOptions graph;
  graph.data =
      "synthetic:csbm?nodes=12&classes=2&features=3&degree=3&splits=1&seed=1";
  data::write_npz_dataset(folder / "g.npz", resolve_dataset(graph));
  RunOptions run = fuzz::small_run();
  run.data = {};
  run.data.data = (folder / "g.npz").string();
  train(load_training_dataset(run.data), 0, run)
      .save(folder / "model.safetensors");
  return folder;
}

}  // namespace

lab::ServiceSettings fuzz::served_sample() {
  static const fs::path folder = made_sample();
  fs::remove_all(folder / "state");
  lab::ServiceSettings out;
  out.checkpoint = folder / "model.safetensors";
  out.data = folder / "g.npz";
  out.state = folder / "state";
  out.limits = {50, 100, 100};
  out.compact_bytes = 0;
  out.execution.threads = 1;
  out.say = [](const std::string&) {};
  return out;
}

}  // namespace ordered_gnn
