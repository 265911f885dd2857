#pragma once
#include <cstdint>
#include <filesystem>

#include "lab/bench/drawn_rank.h"
#include "lab/bench/engine_cost.h"
#include "ordered_gnn/train/run_options.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::lab {

/// What a rank is modelled for.
struct ScaleBenchOptions {
  RunOptions run;  ///< model, network and execution are used
  DrawnRankOptions drawn;
  scale::Wire wire = scale::Wire::fp32;
  int64_t epochs = 3;      ///< timed; one more comes before them
  int64_t eval_every = 1;  ///< epochs between evaluations, for the model
  double gbit = 10;        ///< of a rank's link, each way, per second
  double latency = 50e-6;  ///< seconds between two ranks
  EngineCost engine;       ///< of what carries rows
};

/// What one training step, or one evaluation, took.
struct PassCost {
  double seconds = 0;             ///< of wall time
  double cpu = 0;                 ///< seconds of all threads
  double sent = 0, received = 0;  ///< bytes of rows
  double messages = 0;            ///< both ways
};

/// What one rank does in an epoch. Everything is of the rank as it was
/// computed, that is, of a scaled graph.
struct RankCost {
  int64_t nodes = 0, messages = 0, halo = 0;
  int64_t parameters = 0;
  PassCost train, eval;
  int64_t peak_bytes = 0;  ///< of the process
};

/// What a rank of that size is predicted to take in memory, by the formulas of
/// 'ognn partition', with what drawing it takes.
int64_t rank_bytes(const DrawnRank& drawn, const ScaleBenchOptions& options);

/// The least power of two by which the graph must be made smaller so that a
/// rank takes half of the memory that is left.
/// @throws UsageError when no graph that ranks can share is small enough.
int64_t fitting_scale(const RankedShape& shape, ScaleBenchOptions options);

/// Trains a rank of parts that lie in a folder, or that were drawn, for real,
/// while its other ranks are a NullGroup.
/// @throws Error when a drawn rank does not fit into memory.
RankCost measure_rank(const std::filesystem::path& folder,
                      const ScaleBenchOptions& options);
RankCost measure_rank(DrawnRank& drawn, const ScaleBenchOptions& options);

/// An epoch as it would be, by the cost of a rank and a network.
///
/// What the engine takes of the CPU, the threads of the rank give up between
/// them. Rows take latency for each of the 2 K rounds of a training step and
/// the K of an evaluation, and what the rank sends or receives, whichever is
/// more, at the speed of its link. Gradients go up and parameters down a tree
/// of log2(W) levels, one message after the other, and nothing is computed
/// meanwhile.
struct ModelledEpoch {
  double compute = 0;    ///< seconds
  double engine = 0;     ///< seconds of CPU that the engine takes
  int64_t threads = 1;   ///< of the rank, that share it
  double rows = 0;       ///< seconds of rows between ranks
  double gradients = 0;  ///< seconds of gradients and parameters
  /// Rows hide behind computation, as far as they can, or not at all.
  double hidden() const { return (busy() > rows ? busy() : rows) + gradients; }
  double exposed() const { return busy() + rows + gradients; }
  double busy() const {
    return compute + engine / static_cast<double>(threads);
  }
  double sent = 0, received = 0;  ///< bytes of rows of the rank
};
/// @param scale  by which the rank that was measured is smaller.
ModelledEpoch model_epoch(const RankCost& cost, int64_t scale,
                          const ScaleBenchOptions& options);

}  // namespace ordered_gnn::lab
