#pragma once
#include <ATen/Functions.h>

#include <filesystem>

#include "data/formats/npz/dataset.h"
#include "lab/serve/service.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/train.h"
#include "support/datasets.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {

/// A small graph and a model of it as files, for a server.
class ServedFiles {
 public:
  explicit ServedFiles(const RunOptions& run = tiny_run(),
                       bool is_weighted = false)
      : run_(run) {
    RawDataset raw = resolve_dataset(run_.data);
    if (is_weighted) {
      raw.edge_weights = at::arange(raw.edges.size(1), at::kFloat) % 5 / 3 + 1;
    }
    data::write_npz_dataset(data(), raw);
    run_.data = {};
    run_.data.data = data().string();
    save_model(1);
  }

  /// Writes another model of the same graph.
  void save_model(uint64_t seed) {
    RunOptions options = run_;
    options.train.seed = static_cast<int64_t>(seed);
    train(load_training_dataset(options.data), 0, options).save(checkpoint());
  }

  std::filesystem::path checkpoint() const {
    return dir_ / "model.safetensors";
  }
  std::filesystem::path data() const { return dir_ / "g.npz"; }
  std::filesystem::path state() const { return dir_ / "state"; }
  const TempDir& dir() const { return dir_; }

  ServiceSettings settings() const {
    ServiceSettings out;
    out.checkpoint = checkpoint();
    out.data = data();
    out.state = state();
    out.execution.threads = 1;
    out.say = [](const std::string&) {};
    return out;
  }

 private:
  TempDir dir_;
  RunOptions run_;
};

/// A change that adds a node of eight features beside another.
inline data::GraphChange one_more(const std::string& name,
                                  const std::string& beside) {
  data::GraphChange out;
  out.add_nodes.push_back({name, {1, 0, 2, 0, 0, 1, 0, 3}, -1});
  out.add_edges = {{beside, name}, {name, beside}};
  return out;
}

}  // namespace ordered_gnn::lab
