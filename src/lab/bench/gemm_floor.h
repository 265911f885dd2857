#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// The Ordered GNN that a model is, which its floor is computed for.
/// @throws UsageError for models that are none (ModelEntry::as_ordered_gnn).
OrderedGnnOptions network_of(const RunOptions& options);

/// Operands of one affine map of the network and of its gradients.
struct AffineProducts {
  at::Tensor x;       ///< [N, I]
  at::Tensor weight;  ///< [O, I]
  at::Tensor grad;    ///< [N, O]
  at::Tensor out;     ///< [N, O]
  at::Tensor grad_weight;
  bool needs_grad_x = true;
};

/// The matrix products of one training epoch without anything around them.
class GemmFloor {
 public:
  /// @param operands  device and type of the matrices; float32 on the CPU
  ///                  unless said otherwise.
  /// @throws UsageError as network_of() does.
  GemmFloor(const NodeDataset& data, const RunOptions& options,
            const at::TensorOptions& operands = {});

  double flop() const;

  /// Every product as one call: of cuBLAS on a GPU, where nothing waits for
  /// it, else with `threads` threads of the BLAS.
  void run_whole(int threads);
  /// Every product by the kernels and row blocks of our ops; CPU only.
  void run_own();

 private:
  void add(int64_t rows, int64_t in, int64_t out, bool needs_grad_x);

  const at::TensorOptions operands_;
  std::vector<AffineProducts> products_;
};

}  // namespace ordered_gnn::lab
