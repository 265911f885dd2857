#include "scale/spill/spill_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "scale/parts/estimate.h"
#include "scale/spill/far_rows.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kFloat = sizeof(float);
constexpr int64_t kId = sizeof(int64_t);

// What the turn of a part needs at a time, in rows of width D: h and what was
// fetched with it, m, the gradients of both, of the result and of what is
// handed on; forward h, what was fetched, m and the result.
constexpr int64_t kRowsBackward = 6, kRowsForward = 3;
constexpr int64_t kGatesAtATime = 5;

int64_t feature_bytes(const PartsManifest& manifest, int64_t rows) {
  if (!manifest.sparse_features) return rows * manifest.num_features * kFloat;
  const double per_row = static_cast<double>(manifest.feature_values) /
                         static_cast<double>(manifest.num_nodes);
  return static_cast<int64_t>(per_row * static_cast<double>(rows)) * 4 * kFloat;
}

// Lists, scales of both ends, ids and labels.
int64_t list_bytes(const PartSize& part, int64_t rows) {
  const int64_t halo = std::max(part.in_halo, part.out_halo);
  return (part.in_edges + part.out_edges) * static_cast<int64_t>(sizeof(int)) +
         rows * 5 * kId + (rows + halo) * 2 * kId + halo * kId;
}

int64_t turn_bytes(const PartsManifest& manifest, const ModelOptions& network,
                   int64_t p, int64_t rows_at_a_time) {
  const int64_t rows = manifest.rows_of(p);
  const PartSize& part = manifest.parts[p];
  const int64_t halo = std::max(part.in_halo, part.out_halo);
  const int64_t row = network.hidden * kFloat;
  const int64_t gate =
      network.hidden / std::max<int64_t>(1, network.chunk) * kFloat;
  const int64_t layer = rows_at_a_time * rows * row + (rows + halo) * row +
                        kGatesAtATime * rows * gate;
  const int64_t first = feature_bytes(manifest, rows) + 4 * rows * row;
  return list_bytes(part, rows) + std::max(layer, first);
}

// Ids of the rows that a rank gets from others and gives to them, and the
// pieces in which these are moved, with what is read of the disk for them.
int64_t rank_bytes(const PartsManifest& manifest, const PartRange& parts) {
  if (parts.last - parts.first == manifest.num_parts()) return 0;
  int64_t rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    rows += manifest.parts[p].in_halo + manifest.parts[p].out_halo;
  }
  return 2 * rows * kId + 4 * FarRows::kPiece;
}

// Rows of all halos of a rank: what it has of other ranks is at most that.
int64_t far_bytes(const PartsManifest& manifest, const PartRange& parts,
                  const ModelOptions& network) {
  if (parts.last - parts.first == manifest.num_parts()) return 0;
  int64_t rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    rows += std::max(manifest.parts[p].in_halo, manifest.parts[p].out_halo);
  }
  return rows * network.hidden * kFloat;
}

int64_t nodes_of(const PartsManifest& manifest, const PartRange& parts) {
  return manifest.bounds[parts.last] - manifest.bounds[parts.first];
}

SpillEstimate estimate_of(const PartsManifest& manifest, const PartRange& parts,
                          const ModelOptions& network, int64_t program,
                          int64_t rows_at_a_time) {
  SpillEstimate result;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    result.least_memory = std::max(
        result.least_memory, turn_bytes(manifest, network, p, rows_at_a_time));
    const int64_t data = list_bytes(manifest.parts[p], manifest.rows_of(p)) +
                         feature_bytes(manifest, manifest.rows_of(p));
    result.kept += data;
    result.surely_kept += data;
  }
  result.least_memory +=
      program + scoring_bytes(manifest, parts) + rank_bytes(manifest, parts);
  result.kept += far_bytes(manifest, parts, network);
  return result;
}

int64_t halo_bytes(const PartsManifest& manifest, const PartRange& parts,
                   const ModelOptions& network, int64_t fetches_in,
                   int64_t fetches_out) {
  int64_t rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    const PartSize& part = manifest.parts[p];
    rows += fetches_in * part.in_halo + fetches_out * part.out_halo;
  }
  return rows * network.hidden * network.layers * kFloat;
}

// States go out and come in once: those of the input and of every layer, three
// gradients of a layer, the states of an evaluation, and those of layers that
// are computed again; of all that, the share that is not in memory. Rows are
// fetched forward, once more backward for their sums, in an evaluation, where
// layers are computed again, and their gradients.
int64_t moved_bytes(const PartsManifest& manifest, const PartRange& parts,
                    const RunOptions& options, int64_t kept, int64_t memory) {
  const int64_t out = std::max<int64_t>(0, kept - memory);
  if (out == 0) return 0;
  const int64_t again = options.train.checkpoint_layers ? 1 : 0;
  const int64_t layers = options.network.layers;
  const int64_t states = 2 + (5 + again) * layers;
  const double share = static_cast<double>(out) / static_cast<double>(kept);
  const auto row_bytes = static_cast<double>(nodes_of(manifest, parts) *
                                             options.network.hidden * kFloat);
  return static_cast<int64_t>(2 * share * row_bytes *
                              static_cast<double>(states)) +
         halo_bytes(manifest, parts, options.network, 3 + again, 1);
}

}  // namespace

int64_t scoring_bytes(const PartsManifest& manifest, const PartRange& parts) {
  // Other ranks hand their logits over.
  if (parts.first > 0) {
    return 2 * nodes_of(manifest, parts) * manifest.num_classes * kFloat;
  }
  // Logits as they come, together, in order and per split, what metrics make of
  // them in double precision, and lists of nodes.
  return manifest.num_nodes * (manifest.num_classes * kFloat * 8 + 8 * kId);
}

SpillEstimate estimate_training(const PartsManifest& manifest,
                                const PartRange& parts,
                                const RunOptions& options, int64_t memory,
                                int64_t program) {
  SpillEstimate result =
      estimate_of(manifest, parts, options.network, program, kRowsBackward);
  const MemoryRange pass = training_range(manifest, parts.first, parts.last,
                                          options, /*spares_sums=*/true);
  result.kept += pass.most;
  result.surely_kept += pass.least;
  result.moved = moved_bytes(manifest, parts, options, result.kept, memory);
  return result;
}

SpillEstimate estimate_forward(const PartsManifest& manifest,
                               const PartRange& parts,
                               const RunOptions& options, int64_t memory,
                               int64_t program) {
  SpillEstimate result =
      estimate_of(manifest, parts, options.network, program, kRowsForward);
  const int64_t states =
      nodes_of(manifest, parts) * options.network.hidden * kFloat;
  result.kept += 2 * states;
  result.surely_kept += states;
  const int64_t out = std::max<int64_t>(0, result.kept - memory);
  result.moved = out > 0
                     ? 2 * states * options.network.layers +
                           halo_bytes(manifest, parts, options.network, 1, 0)
                     : 0;
  return result;
}

int64_t parse_memory_limit(const std::string& text) {
  char* end = nullptr;
  double bytes = std::strtod(text.c_str(), &end);
  std::string unit = end;
  double base = 1000;
  if (unit.size() == 3 && unit.substr(1) == "iB") base = 1024;
  if (base == 1024 || (unit.size() == 2 && unit[1] == 'B')) unit.resize(1);
  const std::string units = "kMGT";
  if (unit == "K") unit = "k";
  if (unit.size() == 1 && units.find(unit) != std::string::npos) {
    bytes *= std::pow(base, static_cast<double>(units.find(unit)) + 1);
  } else if (!unit.empty()) {
    bytes = -1;
  }
  if (text.empty() || !(bytes >= 1) || bytes > 1e18) {
    throw UsageError(fmt::format(
        "--memory takes a size such as 16GiB, 800MB or 4G, not '{}'", text));
  }
  return static_cast<int64_t>(bytes);
}

}  // namespace ordered_gnn::scale
