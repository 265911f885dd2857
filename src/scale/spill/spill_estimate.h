#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/train/run_options.h"
#include "scale/parts/manifest.h"

namespace ordered_gnn::scale {

/// What a run that keeps rows on a disk is predicted to take.
struct SpillEstimate {
  int64_t least_memory = 0;  ///< with less it would move the same rows again
                             ///< and again
  int64_t kept = 0;          ///< bytes that a pass keeps, in memory or on disk
  int64_t surely_kept = 0;   ///< a bound from below of that
  int64_t moved = 0;         ///< bytes read and written in an epoch
};

/// Parts [first, last) of a rank. The one with part 0 is rank 0, which scores
/// all nodes.
struct PartRange {
  int64_t first = 0, last = 0;
};
/// @param bounds  first part of every rank, see rank_bounds().
inline PartRange range_of_rank(const std::vector<int64_t>& bounds,
                               int64_t rank) {
  return {bounds[rank], bounds[rank + 1]};
}

/// What a run does with its parts.
enum class SpillUse {
  training,
  pass,         ///< to score or to predict
  explanation,  ///< a pass whose layers are kept and described on rank 0
};

/// @param memory   that the rank may take.
/// @param program  bytes that the process takes before it reads parts.
SpillEstimate estimate_training(const PartsManifest& manifest,
                                const PartRange& parts,
                                const RunOptions& options, int64_t memory,
                                int64_t program);
/// The same of a pass outside training.
SpillEstimate estimate_forward(const PartsManifest& manifest,
                               const PartRange& parts,
                               const RunOptions& options, int64_t memory,
                               int64_t program);

/// The same of a pass that is explained, see RankWork::explain().
SpillEstimate estimate_explanation(const PartsManifest& manifest,
                                   const PartRange& parts,
                                   const RunOptions& options, int64_t memory,
                                   int64_t program);

/// What a rank takes besides, on the calling thread and on no disk: scores of
/// nodes, or what is said of them.
int64_t answer_bytes(const PartsManifest& manifest, const PartRange& parts,
                     const ModelOptions& network, SpillUse use);

/// The bytes of "16GiB", "800MB" or "4G": powers of 1024 with iB, otherwise of
/// 1000.
/// @throws UsageError for anything else.
int64_t parse_memory_limit(const std::string& text);

}  // namespace ordered_gnn::scale
