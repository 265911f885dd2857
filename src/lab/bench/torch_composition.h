#pragma once
#include <ATen/core/Tensor.h>
#include <torch/optim/adam.h>

#include <memory>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// The paper's network written with LibTorch's ops alone, as a user without
/// this library would: dense features, a sparse CSR product for the mean, the
/// concatenation [h ; m], every intermediate kept by autograd.
class TorchComposition {
 public:
  /// @throws UsageError for switches other than the paper's.
  TorchComposition(const NodeDataset& data, const RunOptions& options);

  /// Forward, backward and Adam; returns the loss.
  double step();

 private:
  struct Pair {
    at::Tensor weight, bias;
  };

  Pair make_affine(int64_t in, int64_t out);
  Pair make_norm();
  at::Tensor forward() const;

  const OrderedGnnOptions network_;
  at::Tensor features_, mean_, nodes_, labels_;
  std::vector<Pair> input_, gates_;
  std::vector<Pair> input_norms_, norms_;
  Pair output_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<torch::optim::Adam> adam_;
};

}  // namespace ordered_gnn::lab
