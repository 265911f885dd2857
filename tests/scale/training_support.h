#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "ordered_gnn/train/train.h"
#include "scale/parts_support.h"
#include "scale/ranks/local_run.h"
#include "support/model_cases.h"
#include "train/model_state.h"

namespace ordered_gnn {

/// A run of a few epochs: dropout everywhere, several layers.
inline RunOptions small_run(const std::string& model = "ordered_gnn") {
  RunOptions options = default_options(model);
  set_small_network(options.network, 32);
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

/// What a run over parts reads first; takes over the treatment of the data.
struct PartsRead {
  PartsRead(const std::filesystem::path& folder, RunOptions& options,
            scale::Wire wire)
      : manifest(scale::read_manifest(folder)),
        scored(scale::read_scored_nodes(folder, manifest, wire)) {
    scale::take_treatment(manifest, {}, options);
  }

  const scale::PartsManifest manifest;
  const scale::ScoredNodes scored;
};

/// Trains over parts with the engine `local`.
inline PartsOutcome train_locally(const std::filesystem::path& folder,
                                  RunOptions options, int64_t ranks,
                                  TrainHooks hooks = {}, int64_t split = 0,
                                  scale::Wire wire = scale::Wire::fp32) {
  const PartsRead parts(folder, options, wire);
  PartsOutcome outcome;
  hooks.on_epoch = [&](const EpochReport& report) {
    outcome.losses.push_back(report.loss);
  };
  scale::run_local(
      ranks, folder, parts.manifest, options,
      [&](scale::Group& group, int64_t threads) {
        scale::PartsRun run(
            {group, folder, parts.manifest, options, threads, wire},
            parts.scored);
        outcome.trained = run.train(split, options, hooks);
        outcome.wire = run.wire_count();
      },
      wire);
  return outcome;
}

/// A limit so low that blocks go out all the time, tensors of any size among
/// them.
inline scale::SpillOptions tight_spill(const std::filesystem::path& folder) {
  scale::SpillOptions spill;
  spill.memory = int64_t{1} << 30;
  spill.folder = folder;
  spill.budget = 160 << 10;
  spill.least_block = 1;
  return spill;
}

/// Stops a run of six epochs over `stopped` ranks after three of them and goes
/// on with it over `resumed` ranks.
inline PartsOutcome stop_and_resume(const std::filesystem::path& folder,
                                    const RunOptions& options,
                                    const std::filesystem::path& out,
                                    int64_t stopped, int64_t resumed) {
  TrainHooks hooks;
  hooks.folder = out;
  int64_t asked = 0;
  hooks.should_stop = [&] { return ++asked > 3; };
  EXPECT_THROW(train_locally(folder, options, stopped, hooks), Interrupted);
  hooks.should_stop = nullptr;
  hooks.resume = true;
  PartsOutcome outcome = train_locally(folder, options, resumed, hooks);
  EXPECT_EQ(outcome.losses.size(), 3U);
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
