#include "data/generators/small_world.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <unordered_set>

#include "data/generators/edge_sampler.h"
#include "data/generators/generated_size.h"
#include "data/generators/random_features.h"
#include "data/generators/random_labels.h"
#include "data/generators/random_streams.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

void check_ring(const SmallWorldOptions& options) {
  ordered_gnn::check_options(small_world_option_table(), options);
  if (options.degree % 2 != 0 || options.degree > options.nodes - 1) {
    throw UsageError(
        fmt::format("degree: half of the neighbours are on either side, so "
                    "expected an even number up to {}, got {}",
                    options.nodes - 1, options.degree));
  }
  if (options.classes > options.nodes) {
    throw UsageError(fmt::format("classes: {} do not fit {} nodes",
                                 options.classes, options.nodes));
  }
}

// Whether v and w are joined on the ring; w > v.
bool is_near(int64_t v, int64_t w, const SmallWorldOptions& options) {
  const int64_t steps = w - v;
  return std::min(steps, options.nodes - steps) <= options.degree / 2;
}

// Far ends, -1 where an edge stays near. No far edge joins two nodes that
// another joins: near ones are refused, far ones remembered.
std::vector<int64_t> far_ends(const SmallWorldOptions& options) {
  const int64_t side = options.degree / 2;
  std::vector<int64_t> ends(static_cast<size_t>(options.nodes * side), -1);
  if (options.far == 0) return ends;
  RandomStream random = stream_for(options.seed, Draw::edges);
  std::unordered_set<int64_t> taken;
  for (size_t e = 0; e < ends.size(); ++e) {
    if (random.uniform() >= options.far) continue;
    const auto end = static_cast<int64_t>(
        random.below(static_cast<uint64_t>(options.nodes)));
    const auto v = static_cast<int64_t>(e) / side;
    const auto [low, high] = std::minmax(v, end);
    if (low == high || is_near(low, high, options)) continue;
    if (taken.insert(low * options.nodes + high).second) ends[e] = end;
  }
  return ends;
}

SampledEdges ring_edges(const SmallWorldOptions& options) {
  const int64_t side = options.degree / 2;
  const int64_t count = options.nodes * side;
  const std::vector<int64_t> far = far_ends(options);
  SampledEdges out;
  out.edges = at::empty({2, count}, at::kLong);
  int64_t* const first = out.edges.data_ptr<int64_t>();
  for (int64_t e = 0; e < count; ++e) {
    const int64_t v = e / side;
    const int64_t near = (v + 1 + e % side) % options.nodes;
    const int64_t end = far[static_cast<size_t>(e)];
    first[e] = v;
    first[count + e] = end < 0 ? near : end;
  }
  return out;
}

std::vector<int64_t> arcs(const SmallWorldOptions& options) {
  std::vector<int64_t> classes(static_cast<size_t>(options.nodes));
  for (int64_t v = 0; v < options.nodes; ++v) {
    classes[static_cast<size_t>(v)] = v * options.classes / options.nodes;
  }
  return classes;
}

GeneratedSize ring_size(const SmallWorldOptions& options) {
  const auto nodes = static_cast<double>(options.nodes);
  return {options.nodes, nodes * static_cast<double>(options.degree) / 2,
          nodes * static_cast<double>(options.features), /*sparse=*/false,
          options.splits};
}

}  // namespace

RawDataset generate_small_world_graph(const SmallWorldOptions& options) {
  check_ring(options);
  GeneratedSize size = ring_size(options);
  size.feature_values = 0;
  require_memory_for(size, "small_world");
  RawDataset raw;
  raw.name = "small_world";
  raw.provenance.format = "synthetic";
  const std::vector<int64_t> classes = arcs(options);
  set_classes(raw, classes, options.classes,
              {options.splits, options.train, options.val, options.seed});
  set_edges(raw, ring_edges(options), /*directed=*/false);
  return raw;
}

RandomFeatureOptions small_world_features(const SmallWorldOptions& options) {
  return {options.features, options.signal, /*density=*/1, options.seed};
}

RawDataset generate_small_world(const SmallWorldOptions& options) {
  check_ring(options);
  require_memory_for(ring_size(options), "small_world");
  RawDataset raw = generate_small_world_graph(options);
  raw.features = gaussian_features(arcs(options), options.classes,
                                   small_world_features(options));
  validate(raw);
  return raw;
}

}  // namespace ordered_gnn::data
