#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>

#include "ordered_gnn/core/graph.h"
#include "ordered_gnn/nn/model.h"

namespace ordered_gnn::explain {

/// What is kept of a layer of a part of a graph until all parts are there.
struct PartLayer {
  int64_t layer = 0;
  int64_t orders = 1;
  at::Tensor state;     ///< [n, D] float32
  at::Tensor gate;      ///< [n, G] float32; undefined without gates
  at::Tensor norm;      ///< [n] float64, see row_norms()
  at::Tensor edge_sum;  ///< [n] float64, see edge_sums()
};

/// Fetches the states of the part's halo: all parts call it, layer by layer.
PartLayer keep_layer(const Graph& part, const LayerTrace& layer);

}  // namespace ordered_gnn::explain
