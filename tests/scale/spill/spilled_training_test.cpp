// The same bits whether rows fit into memory or not.
#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/memory.h"
#include "scale/spill/spill_estimate.h"
#include "scale/spill/spill_room.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

struct SpilledOutcome : PartsOutcome {
  scale::PagedMemory::Counts counts;
};

SpilledOutcome train_spilled(const fs::path& folder, RunOptions options,
                             const scale::SpillOptions& spill,
                             TrainHooks hooks = {},
                             scale::Wire wire = scale::Wire::fp32) {
  const PartsRead parts(folder, options, wire);
  SpilledOutcome outcome;
  hooks.on_epoch = [&](const EpochReport& report) {
    outcome.losses.push_back(report.loss);
  };
  scale::SingleGroup alone;
  scale::PartsRun run({alone, folder, parts.manifest, options, 2, wire, &spill},
                      parts.scored);
  outcome.trained = run.train(0, options, hooks);
  outcome.counts = run.spill_room()->counts();
  return outcome;
}

RunOptions of_model(const std::string& model,
                    void (*change)(RunOptions&) = nullptr) {
  RunOptions options = small_run(model);
  options.train.epochs = 3;
  if (change != nullptr) change(options);
  return options;
}

struct SpilledCase {
  std::string name, data;
  RunOptions options;
};

void PrintTo(const SpilledCase& one, std::ostream* out) { *out << one.name; }

class SpilledTraining : public ::testing::TestWithParam<SpilledCase> {};

TEST_P(SpilledTraining, HasTheBitsOfTrainingInMemory) {
  const TempDir dir;
  const fs::path folder =
      write_test_parts(parts_data(GetParam().data), 5, dir / "g.parts");
  const PartsOutcome memory = train_locally(folder, GetParam().options, 2);
  const SpilledOutcome spilled =
      train_spilled(folder, GetParam().options, tight_spill(dir / "spill"));
  EXPECT_EQ(spilled.losses, memory.losses);
  EXPECT_EQ(first_difference(*spilled.trained.model, *memory.trained.model),
            "");
  EXPECT_EQ(spilled.trained.result.test.log_loss,
            memory.trained.result.test.log_loss);
  EXPECT_GT(spilled.counts.written, 0);
  EXPECT_GT(spilled.counts.read, 0);
  EXPECT_TRUE(fs::is_empty(dir / "spill"));
}

INSTANTIATE_TEST_SUITE_P(
    Cases, SpilledTraining,
    ::testing::ValuesIn(std::vector<SpilledCase>{
        {"softor", "", of_model("ordered_gnn")},
        {"sparse_directed", "&sparse=true&features=40&directed=true",
         of_model("ordered_gnn")},
        {"residual", "",
         of_model("ordered_gnn",
                  [](RunOptions& o) { o.network.residual = true; })},
        {"transform", "&degree=24",
         of_model("ordered_gnn",
                  [](RunOptions& o) {
                    o.network.transform = Transform::linear;
                  })},
        {"recomputed", "",
         of_model("ordered_gnn",
                  [](RunOptions& o) {
                    o.network.layers = 9;
                    o.train.checkpoint_layers = true;
                  })},
        {"mlp", "", of_model("mlp")},
        {"gcn", "", of_model("gcn")},
        {"graphsage", "&directed=true", of_model("graphsage")}}),
    [](const auto& info) { return info.param.name; });

TEST(Spill, AnyBudgetHasTheSameBits) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  const PartsOutcome memory = train_locally(folder, small_run(), 1);
  for (const int64_t budget : {1 << 12, 1 << 20, 1 << 28}) {
    scale::SpillOptions spill = tight_spill(dir.path());
    spill.budget = budget;
    const SpilledOutcome spilled = train_spilled(folder, small_run(), spill);
    EXPECT_EQ(first_difference(*spilled.trained.model, *memory.trained.model),
              "")
        << budget;
    EXPECT_EQ(spilled.counts.written > 0, budget < 1 << 28);
  }
}

TEST(Spill, RecomputedLayersHaveTheSameBits) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  RunOptions options = small_run();
  options.network.layers = 16;
  const SpilledOutcome kept =
      train_spilled(folder, options, tight_spill(dir / "spill"));
  options.train.checkpoint_layers = true;
  const SpilledOutcome recomputed =
      train_spilled(folder, options, tight_spill(dir / "spill"));
  EXPECT_EQ(recomputed.losses, kept.losses);
  EXPECT_EQ(first_difference(*recomputed.trained.model, *kept.trained.model),
            "");
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  const auto predicted = [&] {
    return scale::estimate_training(manifest, {0, 4}, options, 1, 0).kept;
  };
  const int64_t less = predicted();
  options.train.checkpoint_layers = false;
  EXPECT_LT(less, predicted());
}

TEST(Spill, RoundsRowsOnTheWireAsRanksDo) {
  const TempDir dir;
  const fs::path folder =
      write_test_parts(parts_data("&directed=true"), 4, dir / "g.parts");
  const PartsOutcome memory =
      train_locally(folder, small_run(), 2, {}, 0, scale::Wire::bf16);
  const SpilledOutcome spilled = train_spilled(
      folder, small_run(), tight_spill(dir.path()), {}, scale::Wire::bf16);
  EXPECT_EQ(first_difference(*spilled.trained.model, *memory.trained.model),
            "");
}

TEST(Spill, OnePartIsTheWholeGraph) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const fs::path folder = write_test_parts(data, 1, dir / "g.parts");
  const Trained whole = train(data, 0, small_run());
  const SpilledOutcome spilled =
      train_spilled(folder, small_run(), tight_spill(dir.path()));
  EXPECT_EQ(first_difference(*spilled.trained.model, *whole.model), "");
}

// Stopped and resumed, both ways between memory and disk.
TEST(Spill, GoesOnWithOrWithoutIt) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  RunOptions options = small_run();
  options.train.epochs = 6;
  const PartsOutcome whole = train_locally(folder, options, 3);
  for (const bool spills_first : {true, false}) {
    TrainHooks hooks;
    hooks.folder = dir / (spills_first ? "one" : "other");
    const auto part = [&](bool spills) -> PartsOutcome {
      if (!spills) return train_locally(folder, options, 3, hooks);
      return train_spilled(folder, options, tight_spill(dir / "spill"), hooks);
    };
    int64_t asked = 0;
    hooks.should_stop = [&] { return ++asked > 3; };
    EXPECT_THROW(part(spills_first), Interrupted);
    hooks.should_stop = nullptr;
    hooks.resume = true;
    const PartsOutcome resumed = part(!spills_first);
    EXPECT_EQ(resumed.losses.size(), 3U);
    EXPECT_EQ(first_difference(*resumed.trained.model, *whole.trained.model),
              "");
    if (fs::exists(dir / "spill")) {
      EXPECT_TRUE(fs::is_empty(dir / "spill"));
    }
  }
}

TEST(Spill, PredictsWhatMemoryDoes) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 4, dir / "g.parts");
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  RunOptions options = small_run();
  scale::take_treatment(manifest, {}, options);
  const PartsOutcome memory = train_locally(folder, options, 1);
  const scale::ScoredNodes scored = scale::read_scored_nodes(folder, manifest);
  const auto logits = [&](const scale::SpillOptions* spill) {
    scale::SingleGroup alone;
    scale::PartsRun run(
        {alone, folder, manifest, options, 1, scale::Wire::fp32, spill},
        scored);
    std::vector<at::Tensor> all = {run.score(*memory.trained.model)};
    run.predict(*memory.trained.model,
                [&](int64_t /*part*/, const at::Tensor& rows) {
                  all.push_back(rows.clone());
                });
    return torch::cat(all);
  };
  const scale::SpillOptions spill = tight_spill(dir.path());
  EXPECT_TRUE(logits(&spill).equal(logits(nullptr)));
}

TEST(Spill, RefusesALimitAndNamesTheLeast) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  scale::SpillOptions spill;
  spill.memory = 10'000'000;
  spill.folder = dir / "spill";
  const std::string message =
      error_of([&] { train_spilled(folder, small_run(), spill); });
  EXPECT_TRUE(contains(message, "--memory 10.0 MB: the least that training"))
      << message;
  EXPECT_FALSE(fs::exists(dir / "spill"));
  // What it names is enough.
  RunOptions options = small_run();
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  spill.memory = int64_t{1} << 40;
  spill.memory =
      scale::estimate_spill(manifest, {0, manifest.num_parts()}, options, spill)
          .least_memory +
      (32 << 20);
  EXPECT_EQ(error_of([&] { train_spilled(folder, options, spill); }), "");
}

TEST(Spill, AFailingPartEndsAll) {
  const TempDir dir;
  const fs::path folder = write_test_parts(parts_data(), 3, dir / "g.parts");
  fs::remove(folder / "part-0001/features.npy");
  EXPECT_TRUE(contains(error_of([&] {
                         train_spilled(folder, small_run(),
                                       tight_spill(dir / "spill"));
                       }),
                       "part-0001/features.npy"));
  EXPECT_TRUE(fs::is_empty(dir / "spill"));
}

}  // namespace
}  // namespace ordered_gnn
