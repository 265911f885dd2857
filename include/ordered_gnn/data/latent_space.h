#pragma once
#include <ATen/core/Tensor.h>

#include <string>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn {

/// How nodes get their places in the plane. Edges count both ways and loops do
/// not.
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
/// @throws Error that lists the known names.
Embedding parse_embedding(const std::string& name);

/// A graph laid out in the plane, and who is close to whom there.
struct LatentSpace {
  at::Tensor position;  ///< [N, 2] float32
  /// Every node with itself and the nodes within a radius, which is that at
  /// which pairs are as many as the edges of the graph. Pairs at the radius
  /// itself are taken in the order of nodes until the number is met.
  Graph neighbours;

  LatentSpace to(at::Device device) const;
};

/// Computes it, on the CPU, whatever the device of the graph. The same bits for
/// any number of threads.
LatentSpace make_latent_space(const Graph& graph, Embedding embedding);

/// The same for the graph of a dataset, kept for the process and, for data from
/// files, in a file `ognn-latent-KEY.safetensors`: beside the first file of the
/// data, or, where nothing can be written, in the folder `latent` of the user's
/// cache. A file that is damaged is replaced.
///
/// @param note  when not null: what was read, written or wrong with a file, for
///              the user; empty when there is nothing to say.
/// @return  on the device of the data.
LatentSpace latent_space_of(const NodeDataset& data, Embedding embedding,
                            std::string* note = nullptr);

}  // namespace ordered_gnn
