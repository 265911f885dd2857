#pragma once
#include <ATen/core/Tensor.h>

#include <filesystem>
#include <functional>
#include <string>

#include "data/layout/graph_embedding.h"
#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {

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
LatentSpace make_latent_space(const Graph& graph,
                              const GraphEmbedding& embedding);

/// Where a latent space is kept, and who is told of it.
struct LatentStore {
  /// Folder with a file `ognn-latent-KEY.safetensors` for every graph; made
  /// when it is not there. Empty: nothing is read or written.
  std::filesystem::path folder = {};
  /// What was read, written or wrong with a file, a sentence for the user; may
  /// be null.
  std::function<void(const std::string&)> note = nullptr;
};

/// The same for the graph of a dataset. Data with a fingerprint is laid out
/// once per process (the last few are remembered) and, with a folder to keep it
/// in, once for all; a file that is damaged is replaced.
/// @return  on the device of the data.
/// @throws Error naming the file or folder that cannot be written.
LatentSpace latent_space_of(const NodeDataset& data,
                            const GraphEmbedding& embedding,
                            const LatentStore& store = {});

}  // namespace ordered_gnn::data
