#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>

#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/train/train.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/ranks/rank_work.h"
#include "scale/ranks/scored_nodes.h"

namespace ordered_gnn::scale {

/// Refuses what cannot be trained over parts.
/// @throws UsageError naming the option or the model, and what can.
void require_parts_options(const RunOptions& options,
                           const PartsManifest& manifest);

/// Refuses batches where ranks cannot compute them; for training alone.
/// @param spills  whether memory has a limit and rows go to a disk.
/// @throws UsageError saying why.
void require_batch_ranks(const RunOptions& options, int64_t ranks, Wire wire,
                         bool spills = false);

/// Refuses a trained model that does not fit the parts.
/// @throws Error naming what differs: features, or classes and their names.
void require_fit(const Trained& trained, const PartsManifest& manifest,
                 const std::string& file);

/// Writes what the parts decided, their treatment, into the options.
/// @param said  what a user says of it.
/// @throws UsageError when that says otherwise.
void take_treatment(const PartsManifest& manifest, const TreatmentChoice& said,
                    RunOptions& options);

/// A rank of a run over parts: reads its parts and works.
struct RankTask {
  Group& group;
  const std::filesystem::path& folder;
  const PartsManifest& manifest;
  const RunOptions& options;  ///< validated
  int64_t threads;            ///< that the rank may use
  Wire wire = Wire::fp32;
  const SpillOptions* spill = nullptr;  ///< a limit of memory; null: none
  int64_t gpu = 0;                      ///< of this machine, for --device cuda

  /// Where its parts are computed.
  at::Device device() const;
};

/// Rank 0 of a run: trains splits with the help of all others, which serve
/// until it goes. When a command fails here the others are left in its midst,
/// to be ended by whoever started them: see run_local() and run_first_rank().
class PartsRun : NonCopyable {
 public:
  /// Compares facts with the others, reads parts.
  /// @param scored  of the same parts; must outlive this.
  PartsRun(const RankTask& task, const ScoredNodes& scored);
  ~PartsRun();

  /// As training::train_validated().
  Trained train(int64_t split, const RunOptions& options,
                const TrainHooks& hooks);

  /// Logits of the scored nodes, numbered as theirs, by a trained model.
  at::Tensor score(NodeModel& model);
  /// Logits of all nodes, part by part; see RankWork::predict().
  void predict(NodeModel& model, const RankWork::OnPart& on_part);

  /// What a trained model does on the whole graph; see RankWork::explain().
  GraphExplanation explain(NodeModel& model, int64_t split);

  /// Rows of nodes that ranks have sent to each other so far.
  WireCount wire_count();

  /// See RankWork.
  const SpillRoom* spill_room() const { return work_.spill_room(); }

 private:
  Group& group_;
  const ScoredNodes& scored_;
  RankWork work_;
  bool is_under_way_ = false;  ///< a command that all ranks carry out
};

/// Any other rank: works until rank 0 stops.
/// @throws Error as rank 0 does when facts do not fit.
void serve_parts(const RankTask& task);

}  // namespace ordered_gnn::scale
