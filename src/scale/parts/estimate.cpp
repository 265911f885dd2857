#include "scale/parts/estimate.h"

#include <algorithm>
#include <cmath>

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kValueBytes = sizeof(float);

// The rows of a run of parts together.
PassSize size_of(const PartsManifest& manifest, int64_t first, int64_t last) {
  PassSize size;
  for (int64_t p = first; p < last; ++p) {
    size.num_nodes += manifest.rows_of(p);
    size.num_edges += manifest.parts[p].in_edges;
  }
  size.num_features = manifest.num_features;
  size.num_classes = manifest.num_classes;
  if (manifest.sparse_features) {
    size.sparse_values =
        manifest.feature_values / manifest.num_nodes * size.num_nodes;
  } else {
    size.dense_values = size.num_nodes * manifest.num_features;
  }
  return size;
}

// What a rank of these parts keeps and takes for a while.
int64_t memory_of_rank(const PartsManifest& manifest, int64_t first,
                       int64_t last, const ModelOptions& network) {
  const PassSize size = size_of(manifest, first, last);
  int64_t halo = 0, entries = 0;
  for (int64_t p = first; p < last; ++p) {
    const PartSize& part = manifest.parts[p];
    entries += part.in_edges + part.out_edges;
    halo += std::max(part.in_halo, part.out_halo);
  }
  // Labels, splits and ids; features, sparse ones both ways; lists.
  const int64_t data =
      size.num_nodes * 3 * static_cast<int64_t>(sizeof(int64_t)) +
      (size.dense_values + 4 * size.sparse_values) * kValueBytes +
      entries * static_cast<int64_t>(sizeof(int32_t));
  const int64_t kept =
      training_bytes(find_model("ordered_gnn"), network, size).most;
  // Sums over neighbours are kept in every layer, and the rows of the layer
  // under way stand beside those that were fetched.
  const int64_t row = network.hidden * kValueBytes;
  const int64_t sums = size.num_nodes * row * network.layers;
  const int64_t fetched = 2 * (size.num_nodes + halo) * row;
  return data + kept + sums + fetched;
}

}  // namespace

int64_t training_wire_bytes(const HaloRows& halo, const WireRows& rows) {
  const int64_t inner = rows.layers - 1;
  const auto forward = static_cast<double>(inner * halo.in + halo.last_in);
  const auto backward = static_cast<double>(inner * halo.out + halo.last_out);
  return std::llround(static_cast<double>(rows.width * rows.value_bytes) *
                      ((1 - rows.dropout) * forward + backward));
}

int64_t evaluation_wire_bytes(const HaloRows& halo, const WireRows& rows) {
  return halo.in * rows.layers * rows.width * rows.value_bytes;
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
    result.rank_memory =
        std::max(result.rank_memory,
                 memory_of_rank(manifest, bounds[r], bounds[r + 1], network));
  }
  return result;
}

}  // namespace ordered_gnn::scale
