#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/train/train.h"
#include "scale/parts_support.h"
#include "scale/ranks/local_run.h"
#include "train/model_state.h"

namespace ordered_gnn {

/// A run of a few epochs: dropout everywhere, several layers.
inline RunOptions small_run(const std::string& model = "ordered_gnn") {
  RunOptions options = default_options(model);
  options.network.hidden = 32;
  options.network.chunk = 4;
  options.network.layers = 3;
  options.network.mlp_layers = 2;
  options.network.dropout_theta = 0.3;
  options.network.dropout_xi = 0.2;
  options.train.epochs = 4;
  options.train.seed = 7;
  options.execution.threads = 2;
  return options;
}

/// What a run gave, as far as tests compare it.
struct PartsOutcome {
  Trained trained;
  std::vector<double> losses;
  scale::WireCount wire;
};

/// Trains over parts with the engine `local`.
inline PartsOutcome train_locally(const std::filesystem::path& folder,
                                  RunOptions options, int64_t ranks,
                                  TrainHooks hooks = {}, int64_t split = 0,
                                  scale::Wire wire = scale::Wire::fp32) {
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  scale::take_treatment(manifest, {}, options);
  const scale::ScoredNodes scored =
      scale::read_scored_nodes(folder, manifest, wire);
  PartsOutcome outcome;
  hooks.on_epoch = [&](const EpochReport& report) {
    outcome.losses.push_back(report.loss);
  };
  scale::run_local(
      ranks, folder, manifest, options,
      [&](scale::Group& group, int64_t threads) {
        scale::PartsRun run({group, folder, manifest, options, threads, wire},
                            scored);
        outcome.trained = run.train(split, options, hooks);
        outcome.wire = run.wire_count();
      },
      wire);
  return outcome;
}

/// The first tensor in which two models differ in a bit; empty: none does.
inline std::string first_difference(const NodeModel& a, const NodeModel& b) {
  const training::TensorMap other = training::named_state(b);
  for (const auto& [name, tensor] : training::named_state(a)) {
    if (!tensor.equal(other.at(name))) return name;
  }
  return "";
}

}  // namespace ordered_gnn
