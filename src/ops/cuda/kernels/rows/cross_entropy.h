#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

#include "ops/cuda/kernels/storage.h"

namespace ordered_gnn::cuda {

/// The mean over i of -log softmax(logits[nodes[i]])[labels[i]], see
/// ops/cross_entropy.h. A node or label out of range makes the loss NaN and
/// gets no gradient; nothing is read or written for it. Instantiated for logits
/// stored in float, double and bfloat16.
template <typename S>
struct CrossEntropy {
  const S* logits = nullptr;        // [rows, classes]
  const int64_t* nodes = nullptr;   // [count]
  const int64_t* labels = nullptr;  // [count]
  int64_t rows = 0;
  int64_t count = 0;
  int classes = 0;
};

/// Partial sums of the loss.
int64_t cross_entropy_blocks(int64_t count, int classes);

/// @param partial  [cross_entropy_blocks], written.
/// @param loss     one number, NaN when there are no nodes.
template <typename S>
cudaError_t launch_cross_entropy(const CrossEntropy<S>& job, double* partial,
                                 Compute<S>* loss, cudaStream_t stream);

/// The gradient of the logits for that of the loss; rows of other nodes become
/// zeros. Nodes must be distinct: of those that repeat one wins.
///
/// @param grad         one number, on the device.
/// @param grad_logits  [rows, classes], all of it written.
template <typename S>
cudaError_t launch_cross_entropy_backward(const CrossEntropy<S>& job,
                                          const Compute<S>* grad,
                                          S* grad_logits, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
