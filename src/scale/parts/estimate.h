#pragma once
#include <cstdint>

#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/run_options.h"
#include "scale/parts/manifest.h"
#include "scale/parts/plan.h"

namespace ordered_gnn::scale {

/// What training over parts is predicted to cost, for an Ordered GNN of these
/// options.
struct ScaleEstimate {
  int64_t ranks = 1;
  HaloRows halo;            ///< rows that ranks fetch from each other per layer
  int64_t train_bytes = 0;  ///< on the wire in a training step, all ranks
  int64_t eval_bytes = 0;   ///< in an evaluation
  int64_t rank_memory = 0;  ///< of the rank that takes most
};

/// What decides how many bytes a row takes on the wire.
struct WireRows {
  int64_t layers = 1;
  int64_t width = 1;
  double dropout = 0;       ///< of the rows between layers, in training
  int64_t value_bytes = 4;  ///< 2 where values are rounded on the wire
};

/// Bytes of rows on the wire. Every layer fetches the halo's rows: in training
/// the elements that dropout keeps, so that this is an expectation, and
/// backward the gradients, whole. The last layer of a training step is heard
/// by training nodes alone.
///   training    b D ((1 - p) ((K - 1) H_in + L_in) + (K - 1) H_out + L_out)
///   evaluation  b D K H_in
int64_t training_wire_bytes(const HaloRows& halo, const WireRows& rows);
int64_t evaluation_wire_bytes(const HaloRows& halo, const WireRows& rows);

/// What training on parts [first, last) keeps of passes on one rank, besides
/// their data.
/// @param spares_sums  backward makes sums over neighbours again.
MemoryRange training_range(const PartsManifest& manifest, int64_t first,
                           int64_t last, const RunOptions& options,
                           bool spares_sums);

/// What training on parts [first, last) surely takes on one rank besides their
/// data.
int64_t least_training_bytes(const PartsManifest& manifest, int64_t first,
                             int64_t last, const RunOptions& options);

/// @param halo  of `ranks` ranks, see halo_rows().
ScaleEstimate estimate(const PartsManifest& manifest, const HaloRows& halo,
                       int64_t ranks, const ModelOptions& network);

}  // namespace ordered_gnn::scale
