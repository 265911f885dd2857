#include "scale/spill/spill_estimate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "core/saturated_count.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/explain/over_smoothing.h"
#include "ordered_gnn/nn/models.h"
#include "scale/parts/estimate.h"
#include "scale/spill/far_rows.h"

namespace ordered_gnn::scale {
namespace {

// In floating point, as in scale/parts/estimate.cpp.
constexpr double kFloat = sizeof(float);
constexpr double kId = sizeof(int64_t);

// What the turn of a part needs at a time, in rows of width D: h and what was
// fetched with it, m, the gradients of both, of the result and of what is
// handed on; forward h, what was fetched, m and the result.
constexpr double kRowsBackward = 6, kRowsForward = 3;
constexpr double kGatesAtATime = 5;

// SpillEstimate before it is known to fit into whole numbers.
struct SpillBytes {
  double least_memory = 0;
  double kept = 0;
  double surely_kept = 0;
};

SpillEstimate estimate_from(const SpillBytes& bytes, double moved) {
  return {core::saturated_count(bytes.least_memory),
          core::saturated_count(bytes.kept),
          core::saturated_count(bytes.surely_kept),
          core::saturated_count(moved)};
}

double state_row(const ModelOptions& network) {
  return static_cast<double>(network.hidden) * kFloat;
}

double halo_of(const PartSize& part) {
  return static_cast<double>(std::max(part.in_halo, part.out_halo));
}

double rows_of(const PartsManifest& manifest, int64_t part) {
  return static_cast<double>(manifest.rows_of(part));
}

double feature_bytes(const PartsManifest& manifest, double rows) {
  if (!manifest.sparse_features) {
    return rows * static_cast<double>(manifest.num_features) * kFloat;
  }
  const double per_row = static_cast<double>(manifest.feature_values) /
                         static_cast<double>(manifest.num_nodes);
  return std::floor(per_row * rows) * 4 * kFloat;
}

// Lists, scales of both ends, ids and labels.
double list_bytes(const PartSize& part, double rows) {
  const double halo = halo_of(part);
  return static_cast<double>(part.in_edges + part.out_edges) * sizeof(int) +
         rows * 5 * kId + (rows + halo) * 2 * kId + halo * kId;
}

double turn_bytes(const PartsManifest& manifest, const ModelOptions& network,
                  int64_t p, double rows_at_a_time) {
  const double rows = rows_of(manifest, p);
  const PartSize& part = manifest.parts[p];
  const double row = state_row(network);
  const int64_t gates = network.hidden / std::max<int64_t>(1, network.chunk);
  const double gate = static_cast<double>(gates) * kFloat;
  const double layer = rows_at_a_time * rows * row +
                       (rows + halo_of(part)) * row +
                       kGatesAtATime * rows * gate;
  const double first = feature_bytes(manifest, rows) + 4 * rows * row;
  return list_bytes(part, rows) + std::max(layer, first);
}

// Ids of the rows that a rank gets from others and gives to them, and the
// pieces in which these are moved, with what is read of the disk for them.
double rank_bytes(const PartsManifest& manifest, const PartRange& parts) {
  if (parts.last - parts.first == manifest.num_parts()) return 0;
  double rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    rows += static_cast<double>(manifest.parts[p].in_halo +
                                manifest.parts[p].out_halo);
  }
  return 2 * rows * kId + 4 * static_cast<double>(FarRows::kPiece);
}

// Rows of all halos of a rank: what it has of other ranks is at most that, in
// the round under way and, as far as these have come, in the next.
double far_bytes(const PartsManifest& manifest, const PartRange& parts,
                 const ModelOptions& network) {
  if (parts.last - parts.first == manifest.num_parts()) return 0;
  double rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    rows += halo_of(manifest.parts[p]);
  }
  return 2 * rows * state_row(network);
}

double nodes_of(const PartsManifest& manifest, const PartRange& parts) {
  return static_cast<double>(manifest.bounds[parts.last] -
                             manifest.bounds[parts.first]);
}

double scored_bytes(const PartsManifest& manifest, const PartRange& parts) {
  const double scores = static_cast<double>(manifest.num_classes) * kFloat;
  // Other ranks hand their logits over.
  if (parts.first > 0) return 2 * nodes_of(manifest, parts) * scores;
  // Logits as they come, together, in order and per split, what metrics make of
  // them in double precision, and lists of nodes.
  return static_cast<double>(manifest.num_nodes) * (scores * 8 + 8 * kId);
}

// Tables of nodes as describe_nodes() makes them, of the rank's own and on rank
// 0 of all, with a field or a layer at a time that is being collected; see
// scale/ranks/rank_explanation.cpp.
double explained_bytes(const PartsManifest& manifest, const PartRange& parts,
                       const ModelOptions& network) {
  const auto layers = static_cast<double>(network.layers);
  const double shares = (layers + 1) * kFloat;
  const double entry =
      4 * kId + 2 * kFloat + 1 + shares + layers * kFloat;  // with its id
  const double row = state_row(network);
  // All of the rank's states of a layer, and a few numbers of each node.
  const double own = nodes_of(manifest, parts) * (entry + row + 4 * kId);
  if (parts.first > 0) return own;
  // A field as it came and in order, what a layer's spread is made of, and the
  // rows between which distances are measured, as chosen and as collected.
  const auto all = static_cast<double>(manifest.num_nodes);
  const double pairs = std::min(all, 2 * static_cast<double>(kMostPairs));
  return own + all * (entry + std::max(2 * shares, 8 * kId)) + 2 * pairs * row;
}

double answer_size(const PartsManifest& manifest, const PartRange& parts,
                   const ModelOptions& network, SpillUse use) {
  const double scored = scored_bytes(manifest, parts);
  return use == SpillUse::explanation
             ? std::max(scored, explained_bytes(manifest, parts, network))
             : scored;
}

SpillBytes bytes_of_parts(const PartsManifest& manifest, const PartRange& parts,
                          const ModelOptions& network, int64_t program,
                          SpillUse use) {
  const double rows_at_a_time =
      use == SpillUse::training ? kRowsBackward : kRowsForward;
  SpillBytes result;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    result.least_memory = std::max(
        result.least_memory, turn_bytes(manifest, network, p, rows_at_a_time));
    const double rows = rows_of(manifest, p);
    const double data =
        list_bytes(manifest.parts[p], rows) + feature_bytes(manifest, rows);
    result.kept += data;
    result.surely_kept += data;
  }
  result.least_memory += static_cast<double>(program) +
                         answer_size(manifest, parts, network, use) +
                         rank_bytes(manifest, parts);
  result.kept += far_bytes(manifest, parts, network);
  return result;
}

double halo_bytes(const PartsManifest& manifest, const PartRange& parts,
                  const ModelOptions& network, double fetches_in,
                  double fetches_out) {
  double rows = 0;
  for (int64_t p = parts.first; p < parts.last; ++p) {
    const PartSize& part = manifest.parts[p];
    rows += fetches_in * static_cast<double>(part.in_halo) +
            fetches_out * static_cast<double>(part.out_halo);
  }
  return rows * state_row(network) * static_cast<double>(network.layers);
}

// States go out and come in once: those of the input and of every layer, three
// gradients of a layer, the states of an evaluation, and those of layers that
// are computed again; of all that, the share that is not in memory. Rows are
// fetched forward, once more backward for their sums, in an evaluation, where
// layers are computed again, and their gradients.
double moved_bytes(const PartsManifest& manifest, const PartRange& parts,
                   const RunOptions& options, double kept, int64_t memory) {
  const double out = kept - static_cast<double>(memory);
  if (out <= 0) return 0;
  const double again = options.train.checkpoint_layers ? 1 : 0;
  const auto layers = static_cast<double>(options.network.layers);
  const double states = 2 + (5 + again) * layers;
  return 2 * (out / kept) * nodes_of(manifest, parts) *
             state_row(options.network) * states +
         halo_bytes(manifest, parts, options.network, 3 + again, 1);
}

SpillEstimate estimate_pass(SpillBytes bytes, const PartsManifest& manifest,
                            const PartRange& parts, const ModelOptions& network,
                            int64_t memory) {
  const double states = nodes_of(manifest, parts) * state_row(network);
  bytes.kept += 2 * states;
  bytes.surely_kept += states;
  if (bytes.kept <= static_cast<double>(memory)) {
    return estimate_from(bytes, /*moved=*/0);
  }
  return estimate_from(bytes, 2 * states * static_cast<double>(network.layers) +
                                  halo_bytes(manifest, parts, network, 1, 0));
}

}  // namespace

int64_t answer_bytes(const PartsManifest& manifest, const PartRange& parts,
                     const ModelOptions& network, SpillUse use) {
  return core::saturated_count(answer_size(manifest, parts, network, use));
}

SpillEstimate estimate_training(const PartsManifest& manifest,
                                const PartRange& parts,
                                const RunOptions& options, int64_t memory,
                                int64_t program) {
  SpillBytes bytes = bytes_of_parts(manifest, parts, options.network, program,
                                    SpillUse::training);
  const MemoryRange pass = training_range(manifest, parts.first, parts.last,
                                          options, /*spares_sums=*/true);
  bytes.kept += static_cast<double>(pass.most);
  bytes.surely_kept += static_cast<double>(pass.least);
  return estimate_from(
      bytes, moved_bytes(manifest, parts, options, bytes.kept, memory));
}

SpillEstimate estimate_forward(const PartsManifest& manifest,
                               const PartRange& parts,
                               const RunOptions& options, int64_t memory,
                               int64_t program) {
  return estimate_pass(
      bytes_of_parts(manifest, parts, options.network, program, SpillUse::pass),
      manifest, parts, options.network, memory);
}

SpillEstimate estimate_explanation(const PartsManifest& manifest,
                                   const PartRange& parts,
                                   const RunOptions& options, int64_t memory,
                                   int64_t program) {
  const ModelOptions& network = options.network;
  SpillBytes bytes =
      bytes_of_parts(manifest, parts, network, program, SpillUse::explanation);
  const double states = nodes_of(manifest, parts) * state_row(network) *
                        static_cast<double>(network.layers);
  bytes.kept += 2 * states;  // with gates, of which there may be as many
  bytes.surely_kept += states;
  return estimate_pass(bytes, manifest, parts, network, memory);
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
