#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/kernels/storage.h"

namespace ordered_gnn::cuda {

/// The mean over i of -log softmax(logits[nodes[i]])[labels[i]], weighted by
/// weights[labels[i]] where there are weights, see ops/cross_entropy.h. A node
/// or label out of range makes the loss NaN and gets no gradient; nothing is
/// read or written for it. Instantiated for logits stored in float, double and
/// bfloat16.
template <typename S>
struct CrossEntropy {
  const S* logits = nullptr;            // [rows, classes]
  const int64_t* nodes = nullptr;       // [count]
  const int64_t* labels = nullptr;      // [count]
  const Compute<S>* weights = nullptr;  // [classes]; null: all 1
  int64_t rows = 0;
  int64_t count = 0;
  int classes = 0;
};

/// Partial sums of the loss.
int64_t cross_entropy_blocks(int64_t count, int classes);

/// @param partial  [cross_entropy_blocks], written.
/// @param total    one number, written where there are weights: their sum over
///                 the nodes.
/// @param loss     one number, NaN when there are no nodes.
template <typename S>
cudaError_t launch_cross_entropy(const CrossEntropy<S>& job, double* partial,
                                 double* total, Compute<S>* loss,
                                 cudaStream_t stream);

/// The gradient of the logits for that of the loss; rows of other nodes become
/// zeros. Nodes must be distinct: of those that repeat one wins.
///
/// @param grad         one number, on the device.
/// @param total        one number, written as by launch_cross_entropy().
/// @param grad_logits  [rows, classes], all of it written.
template <typename S>
cudaError_t launch_cross_entropy_backward(const CrossEntropy<S>& job,
                                          const Compute<S>* grad, double* total,
                                          S* grad_logits, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
