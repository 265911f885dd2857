#include "scale/parts/estimate.h"

#include <algorithm>
#include <cmath>

#include "core/saturated_count.h"

namespace ordered_gnn::scale {
namespace {

using core::saturated_count;

// Sizes are multiplied in floating point: those of a manifest made by hand, or
// of layers that nobody would train, do not fit into whole numbers.
constexpr double kValueBytes = sizeof(float);

// The rows of a run of parts together.
PassSize size_of(const PartsManifest& manifest, int64_t first, int64_t last) {
  PassSize size;
  double edges = 0;
  for (int64_t p = first; p < last; ++p) {
    size.num_nodes += manifest.rows_of(p);
    edges += static_cast<double>(manifest.parts[p].in_edges);
  }
  size.num_edges = saturated_count(edges);
  size.num_features = manifest.num_features;
  size.num_classes = manifest.num_classes;
  if (manifest.sparse_features) {
    size.sparse_values =
        manifest.feature_values / manifest.num_nodes * size.num_nodes;
  } else {
    size.dense_values =
        saturated_count(static_cast<double>(size.num_nodes) *
                        static_cast<double>(manifest.num_features));
  }
  return size;
}

// What a rank of these parts keeps and takes for a while. Beside others it
// evaluates while it trains.
int64_t memory_of_rank(const PartsManifest& manifest, int64_t first,
                       int64_t last, bool has_others,
                       const ModelOptions& network) {
  const PassSize size = size_of(manifest, first, last);
  double halo = 0, entries = 0;
  for (int64_t p = first; p < last; ++p) {
    const PartSize& part = manifest.parts[p];
    entries += static_cast<double>(part.in_edges + part.out_edges);
    halo += static_cast<double>(std::max(part.in_halo, part.out_halo));
  }
  const auto nodes = static_cast<double>(size.num_nodes);
  // Labels, splits and ids; features, sparse ones both ways; lists.
  const double data = nodes * 3 * sizeof(int64_t) +
                      (static_cast<double>(size.dense_values) +
                       4 * static_cast<double>(size.sparse_values)) *
                          kValueBytes +
                      entries * sizeof(int32_t);
  const auto kept = static_cast<double>(
      training_bytes(find_model("ordered_gnn"), network, size).most);
  // Sums over neighbours are kept in every layer, and the rows of the layer
  // under way stand beside those that were fetched.
  const double row = static_cast<double>(network.hidden) * kValueBytes;
  const double sums = nodes * row * static_cast<double>(network.layers);
  const double fetched = (has_others ? 4 : 2) * (nodes + halo) * row;
  return saturated_count(data + kept + sums + fetched);
}

double row_bytes(const WireRows& rows) {
  return static_cast<double>(rows.width) *
         static_cast<double>(rows.value_bytes);
}

}  // namespace

int64_t training_wire_bytes(const HaloRows& halo, const WireRows& rows) {
  const auto inner = static_cast<double>(rows.layers - 1);
  const double forward =
      inner * static_cast<double>(halo.in) + static_cast<double>(halo.last_in);
  const double backward = inner * static_cast<double>(halo.out) +
                          static_cast<double>(halo.last_out);
  return saturated_count(
      std::round(row_bytes(rows) * ((1 - rows.dropout) * forward + backward)));
}

int64_t evaluation_wire_bytes(const HaloRows& halo, const WireRows& rows) {
  return saturated_count(static_cast<double>(halo.in) *
                         static_cast<double>(rows.layers) * row_bytes(rows));
}

MemoryRange training_range(const PartsManifest& manifest, int64_t first,
                           int64_t last, const RunOptions& options,
                           bool spares_sums) {
  PassSize size = size_of(manifest, first, last);
  size.checkpoint_layers = options.train.checkpoint_layers;
  size.spares_sums = spares_sums;
  return training_bytes(find_model(options.model), options.network, size);
}

int64_t least_training_bytes(const PartsManifest& manifest, int64_t first,
                             int64_t last, const RunOptions& options) {
  return training_range(manifest, first, last, options, /*spares_sums=*/false)
      .least;
}

ScaleEstimate estimate(const PartsManifest& manifest, const HaloRows& halo,
                       int64_t ranks, const ModelOptions& network) {
  ScaleEstimate result;
  result.ranks = ranks;
  result.halo = halo;
  const WireRows rows{network.layers, network.hidden, network.dropout_xi};
  result.train_bytes = training_wire_bytes(halo, rows);
  result.eval_bytes = evaluation_wire_bytes(halo, rows);
  const std::vector<int64_t> bounds = rank_bounds(manifest.bounds, ranks);
  for (int64_t r = 0; r < ranks; ++r) {
    result.rank_memory = std::max(
        result.rank_memory, memory_of_rank(manifest, bounds[r], bounds[r + 1],
                                           /*has_others=*/ranks > 1, network));
  }
  return result;
}

}  // namespace ordered_gnn::scale
