#include "data/generators/shaped_graph.h"

#include <cmath>
#include <vector>

#include "data/generators/edge_sampler.h"
#include "data/generators/generated_size.h"
#include "data/generators/random_features.h"
#include "data/generators/random_labels.h"
#include "data/generators/random_streams.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

SampledEdges draw_edges(const GraphShape& shape,
                        const std::vector<int64_t>& classes, uint64_t seed) {
  const std::vector<double> uniform(shape.nodes, 1.0);
  std::vector<double> popularity(shape.nodes);
  RandomStream random = stream_for(seed, Draw::weights);
  for (double& weight : popularity) {
    weight = std::pow(random.uniform() + 1e-3, -0.7);
  }
  EdgeSamplerOptions sampler;
  sampler.classes = &classes;
  sampler.num_classes = shape.classes;
  sampler.first_weights = &uniform;
  sampler.second_weights = &popularity;
  sampler.homophily = shape.homophily;
  sampler.directed = shape.directed;
  sampler.num_edges = shape.edges;
  sampler.seed = seed;
  SampledEdges sampled = sample_edges(sampler);
  // The sampler's first end is the receiver, a stored edge starts at the
  // sender.
  sampled.edges = sampled.edges.flip(0).contiguous();
  return sampled;
}

}  // namespace

const std::vector<GraphShape>& paper_shapes() {
  // name, nodes, edges, directed, features, density, classes, homophily
  static const std::vector<GraphShape> shapes = {
      {"cora", 2708, 5278, false, 1433, 0.0127, 7, 0.81},
      {"citeseer", 3327, 4552, false, 3703, 0.0085, 6, 0.74},
      {"pubmed", 19717, 44324, false, 500, 0.1002, 3, 0.80},
      {"texas", 183, 309, true, 1703, 0.0490, 5, 0.06},
      {"wisconsin", 251, 499, true, 1703, 0.0563, 5, 0.17},
      {"cornell", 183, 295, true, 1703, 0.0490, 5, 0.30},
      {"actor", 7600, 29926, true, 932, 0.0058, 5, 0.22},
      {"chameleon", 2277, 36051, true, 2325, 0.0055, 5, 0.23},
      {"squirrel", 5201, 216933, true, 2089, 0.0086, 5, 0.22},
      {"ogbn-arxiv", 169343, 1157799, false, 128, 1, 40, 0.65},
      {"minesweeper", 10000, 39402, false, 7, 1, 2, 0.68},
  };
  return shapes;
}

RawDataset generate_shaped_graph(const GraphShape& shape,
                                 const ShapedGraphOptions& options) {
  check_options(shaped_graph_option_table(), options);
  const double cells = static_cast<double>(shape.nodes * shape.features);
  const bool sparse = shape.density < 1;
  require_memory_for(
      {shape.nodes, static_cast<double>(shape.edges),
       cells * (sparse ? shape.density / 2 : 1), sparse, options.splits},
      shape.name);
  RawDataset raw;
  raw.name = shape.name + "-shape";
  raw.provenance.format = "synthetic";
  raw.provenance.notes.push_back(fmt::format(
      "random graph of the size of {}, not the dataset itself", shape.name));
  const std::vector<int64_t> classes =
      balanced_classes(shape.nodes, shape.classes, options.seed);
  set_classes(raw, classes, shape.classes,
              {options.splits, options.train, options.val, options.seed});
  const SampledEdges sampled = draw_edges(shape, classes, options.seed);
  set_edges(raw, sampled, shape.directed);
  const RandomFeatureOptions features{shape.features, options.signal,
                                      shape.density, options.seed};
  raw.features = sparse ? word_features(classes, shape.classes, features)
                        : gaussian_features(classes, shape.classes, features);
  validate(raw);
  return raw;
}

}  // namespace ordered_gnn::data
