#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <utility>

#include "ordered_gnn/core/philox.h"

namespace ordered_gnn {

/// The step of training that a dropout mask follows from: a number, or a tensor
/// that holds it when the mask is made. A captured CUDA graph replays the same
/// numbers every time, but finds another step in the tensor.
struct DropoutStep {
  // Implicit: wherever a step is asked for, either form of it will do.
  DropoutStep(int64_t step = 0) : number(step) {}
  DropoutStep(at::Tensor step) : tensor(std::move(step)) {}

  int64_t number = 0;  ///< in [0, 2^47)
  /// One int64 number on the device of the rows; undefined: `number` counts.
  /// The nodes that the rows are of may follow it, one for each row: the mask
  /// of a row is then that of its node, whichever row that is. Without them row
  /// i is of node i.
  at::Tensor tensor;
};

/// Which random numbers one dropout call uses: the run's seed, the training
/// step and the place in the model, in [0, 2^16). See ops/dropout.h for the
/// mask itself.
struct DropoutKey {
  int64_t seed = 0;
  DropoutStep step;
  int64_t site = 0;
};

/// A sequence of random numbers fixed by (seed, stream), for generators and
/// initialisation. Cheap to copy; two streams of one seed are independent.
class RandomStream {
 public:
  explicit RandomStream(uint64_t seed, uint64_t stream = 0);

  uint32_t next_u32();
  uint64_t next_u64();
  /// Uniform in [0, 1), 53 bits.
  double uniform();
  /// Uniform integer in [0, bound); bound > 0.
  uint64_t below(uint64_t bound);
  /// Standard normal.
  double normal();

 private:
  uint64_t key_;
  uint64_t stream_;
  uint64_t counter_ = 0;
  Philox::Block words_{};
  int used_ = 4;
  double spare_normal_ = 0;
  bool has_spare_normal_ = false;
};

/// Fills `values` (float32 or float64, any layout) with uniform numbers in
/// [low, high), element i in row-major order taking the i-th of the stream.
/// A tensor without memory (device `meta`) takes none.
void fill_uniform(at::Tensor& values, double low, double high,
                  RandomStream& random);

/// Random permutation of 0 .. size-1 as int64 [size].
at::Tensor random_permutation(int64_t size, RandomStream& random);

}  // namespace ordered_gnn
