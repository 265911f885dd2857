#pragma once
#include <utility>

#include "data/layout/latent_space.h"
#include "nn/baselines/baseline.h"

namespace ordered_gnn::nn {

/// "Geom-GCN: Geometric Graph Convolutional Networks" (2020). Nodes have places
/// z in the plane (see Embedding), and a node v has two neighbourhoods: N_g(v)
/// in the graph and N_s(v) around it in the plane (data::LatentSpace). A
/// neighbour u stands in one of four relations to v by where it is: upper left,
/// upper right, lower left, lower right, ties counting as upper and right. For
/// each of the eight pairs of neighbourhood i and relation r a layer sums up,
/// and then maps all of them together:
///
///   e_ir[v] = sum over u of N_i(v) in relation r of
///             (d_i(v) d_i(u))^-1/2 dropout_theta(h)[u]
///   y = [e_g1 ; ... ; e_g4 ; e_s1 ; ... ; e_s4] W^T + b
///
/// with d_i the degree in neighbourhood i. Layers but the last are followed by
/// relu. h is mapped first and summed up then, which is the same and keeps
/// sparse features sparse.
///
/// Reads layers, hidden, embedding and dropout-theta. Parameters are
/// `layers.I.weight` [8 out, in], the eight parts of W one below the other, and
/// `.bias` [out] (xi).
///
/// Defaults are those of the authors' runs, as remembered: 2 layers of 48,
/// dropout 0.5, Adam at 0.05, L2 5e-6, patience 100. Their first layer keeps
/// the eight parts side by side where the paper's equation, taken here, adds
/// them up; they embed with Isomap, Poincare and struc2vec, of which the first
/// is here. --drop-edge thins out N_g alone.
///
/// A pass throws c10::Error unless its context has the layout of the graph.
extern const MakeModel kMakeGeomGcn;

/// What it prepares: the graph laid out, which all passes read.
struct GeomLayout : ModelPreparation {
  explicit GeomLayout(data::LatentSpace made) : space(std::move(made)) {}
  data::LatentSpace space;
};

}  // namespace ordered_gnn::nn
