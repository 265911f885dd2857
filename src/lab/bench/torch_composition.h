#pragma once
#include <ATen/core/Tensor.h>
#include <torch/optim/adam.h>

#include <memory>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// The paper's network, with a transform and norms of choice, written with
/// LibTorch's ops alone, as a user without this library would: dense features,
/// a sparse CSR product for the mean, the concatenation [h ; m], every
/// intermediate kept by autograd.
class TorchComposition {
 public:
  /// @throws UsageError for other switches than the paper's.
  TorchComposition(const NodeDataset& data, const RunOptions& options);

  /// Forward, backward and Adam; returns the loss.
  double step();

 private:
  struct Pair {
    at::Tensor weight, bias;
  };

  struct Normed {
    Norm kind;
    Pair pair;
    at::Tensor running_mean, running_var;
  };

  Pair make_affine(int64_t in, int64_t out);
  Normed make_norm(Norm kind);
  at::Tensor normed(const at::Tensor& x, const Normed& norm) const;
  /// What a layer writes: m, or the candidate made of it.
  at::Tensor written(size_t layer, const at::Tensor& x,
                     const at::Tensor& m) const;
  at::Tensor forward() const;

  const OrderedGnnOptions network_;
  at::Tensor features_, mean_, nodes_, labels_;
  std::vector<Pair> input_, gates_, candidates_;
  std::vector<Normed> input_norms_, candidate_norms_, norms_;
  Pair output_;
  std::vector<at::Tensor> parameters_;
  std::unique_ptr<torch::optim::Adam> adam_;
};

}  // namespace ordered_gnn::lab
