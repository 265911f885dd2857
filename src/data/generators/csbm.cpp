#include "data/generators/csbm.h"

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

// More than this asks for memory no machine this runs on has.
constexpr double kMaxEdges = 2e9;
constexpr double kMaxFeatureValues = 2e10;

double num_feature_values(const CsbmOptions& options) {
  return static_cast<double>(options.nodes) *
         static_cast<double>(options.features) *
         (options.sparse ? options.density : 1);
}

void check_options(const CsbmOptions& options) {
  ordered_gnn::check_options(csbm_option_table(), options);
  const double nodes = static_cast<double>(options.nodes);
  if (options.classes > options.nodes) {
    throw UsageError(fmt::format("classes: {} do not fit {} nodes",
                                 options.classes, options.nodes));
  }
  if (options.classes == 1 && options.homophily < 1) {
    throw UsageError(
        fmt::format("homophily: with one class it can only be 1, got {}",
                    options.homophily));
  }
  if (options.degree > nodes - 1) {
    throw UsageError(
        fmt::format("degree: a node has at most {} neighbours, got {}",
                    options.nodes - 1, options.degree));
  }
  if (nodes * options.degree > kMaxEdges) {
    throw UsageError(
        fmt::format("nodes * degree: expected at most {:g}, got "
                    "{:g}",
                    kMaxEdges, nodes * options.degree));
  }
  const double values = num_feature_values(options);
  if (values > kMaxFeatureValues) {
    throw UsageError(
        fmt::format("nodes * features: expected at most {:g} "
                    "values, got {:g}",
                    kMaxFeatureValues, values));
  }
}

int64_t num_pairs(const CsbmOptions& options) {
  const double ends = static_cast<double>(options.nodes) * options.degree;
  return std::llround(options.directed ? ends : ends / 2);
}

GeneratedSize generated_size_of(const CsbmOptions& options) {
  return {options.nodes, static_cast<double>(num_pairs(options)),
          // Words that are drawn twice count once.
          num_feature_values(options) * (options.sparse ? 0.5 : 1),
          options.sparse, options.splits};
}

std::vector<double> node_weights(const CsbmOptions& options) {
  std::vector<double> weights(options.nodes, 1.0);
  if (options.degree_spread == 0) return weights;
  RandomStream random = stream_for(options.seed, Draw::weights);
  for (double& weight : weights) {
    weight = std::exp(options.degree_spread * random.normal());
  }
  return weights;
}

SampledEdges draw_edges(const CsbmOptions& options,
                        const std::vector<int64_t>& classes) {
  const std::vector<double> weights = node_weights(options);
  EdgeSamplerOptions sampler;
  sampler.classes = &classes;
  sampler.num_classes = options.classes;
  sampler.first_weights = &weights;
  sampler.second_weights = &weights;
  sampler.homophily = options.homophily;
  sampler.directed = options.directed;
  sampler.num_edges = num_pairs(options);
  sampler.seed = options.seed;
  return sample_edges(sampler);
}

}  // namespace

RawDataset generate_csbm_graph(const CsbmOptions& options) {
  check_options(options);
  GeneratedSize size = generated_size_of(options);
  size.feature_values = 0;
  require_memory_for(size, "csbm");
  RawDataset raw;
  raw.name = "csbm";
  raw.provenance.format = "synthetic";
  const std::vector<int64_t> classes =
      balanced_classes(options.nodes, options.classes, options.seed);
  set_classes(raw, classes, options.classes,
              {options.splits, options.train, options.val, options.seed});
  set_edges(raw, draw_edges(options, classes), options.directed);
  return raw;
}

RandomFeatureOptions csbm_features(const CsbmOptions& options) {
  return {options.features, options.signal, options.density, options.seed};
}

RawDataset generate_csbm(const CsbmOptions& options) {
  check_options(options);
  require_memory_for(generated_size_of(options), "csbm");
  RawDataset raw = generate_csbm_graph(options);
  const std::vector<int64_t> classes =
      balanced_classes(options.nodes, options.classes, options.seed);
  const RandomFeatureOptions features = csbm_features(options);
  raw.features = options.sparse
                     ? word_features(classes, options.classes, features)
                     : gaussian_features(classes, options.classes, features);
  validate(raw);
  return raw;
}

}  // namespace ordered_gnn::data
