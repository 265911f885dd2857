#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"
#include "ordered_gnn/nn/options.h"

namespace ordered_gnn {

/// How a network puts the states of its layers together.
enum class Jumping {
  concat,  ///< [h_1 ; ... ; h_K]
  max,     ///< element-wise maximum over the layers
  lstm,    ///< attention over the layers, scored by a bi-directional LSTM
  none,    ///< the last one alone; not for JK-Net
};
std::string to_string(Jumping jumping);
Jumping parse_jumping(const std::string& name);

/// Which layers a network is made of, where it has the choice.
enum class ConvolutionKind {
  gcn,   ///< graph convolutions
  sage,  ///< layers of GraphSAGE, with the aggregator of the options
  gat,   ///< attention over neighbours; not for JK-Net and Dir-GNN
};
std::string to_string(ConvolutionKind kind);
ConvolutionKind parse_convolution(const std::string& name);

/// Hop weights gamma_0 .. gamma_K that a GPR-GNN starts from, with a = alpha.
enum class HopWeights {
  ppr,     ///< a (1 - a)^k, and (1 - a)^K for the last hop
  nppr,    ///< a^k / sum_j a^j
  last,    ///< 1 for hop K, else 0: a simplified graph convolution
  random,  ///< uniform in +-sqrt(3 / (K + 1)), then divided by sum_k |gamma_k|
};
std::string to_string(HopWeights weights);
HopWeights parse_hop_weights(const std::string& name);

/// How a Geom-GCN gives nodes their places in the plane. Edges count both ways
/// and loops do not.
enum class Embedding {
  /// Classical scaling of hop distances. Above 512 nodes 512 of them, drawn at
  /// random but always the same, are scaled and the others placed by their
  /// distances to those (landmark MDS), so that memory is that of the graph.
  /// Nodes without a path count as one hop further apart than any with one.
  isomap,
  /// The second and third eigenvector of the random walk, by 300 steps of
  /// subspace iteration. Parts without an edge between them may share a place.
  spectral,
};
std::string to_string(Embedding embedding);
Embedding parse_embedding(const std::string& name);

/// Everything a network may read. The header of a model says what it does read,
/// the help of an option who reads it.
struct ModelOptions : OrderedGnnOptions {
  int64_t heads = 8;           ///< of attention
  int64_t output_heads = 1;    ///< of the last layer's attention, averaged
  int64_t hops = 10;           ///< K, steps or powers of a propagation
  double alpha = 0.1;          ///< share of the start in a propagation
  double lambda = 0.5;         ///< strength whose effect falls with the depth
  double exponent = 3;         ///< how fast it falls
  double label_rate = 0.625;   ///< share of the training labels told in a step
  int64_t global_layers = 2;   ///< of attention between all nodes
  int64_t local_epochs = 100;  ///< training steps before these take part
  bool unit_rows = false;      ///< rows of a layer are divided by their length
  Jumping jumping = Jumping::concat;
  ConvolutionKind convolution = ConvolutionKind::gcn;
  HopWeights hop_weights = HopWeights::ppr;
  Embedding embedding = Embedding::isomap;  ///< of the graph in the plane
};

/// Descriptions of all fields, those of OrderedGnnOptions first.
const std::vector<Option<ModelOptions>>& model_option_table();

/// Descriptions of the fields that OrderedGnnOptions does not have.
const std::vector<Option<ModelOptions>>& baseline_option_table();

}  // namespace ordered_gnn
