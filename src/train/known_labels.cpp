#include "train/known_labels.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/ops/dropout.h"

namespace ordered_gnn::training {
namespace {

// Random places for n things, as an order of them. Bits of dropout make up
// numbers that float32 holds exactly, so every device sorts the same ones.
at::Tensor random_order(int64_t n, const DropoutKey& key, at::Device device) {
  constexpr int64_t kBits = 23;
  const at::TensorOptions options = at::device(device).dtype(at::kFloat);
  const at::Tensor bits = dropout(at::ones({n, kBits}, options), 0.5, key);
  const at::Tensor powers = at::arange(kBits, options).exp2();
  const at::Tensor numbers = (bits * powers).sum(1);
  return std::get<1>(at::sort(numbers, /*stable=*/true, /*dim=*/0,
                              /*descending=*/false));
}

KnownLabels taken(const KnownLabels& all, const at::Tensor& places) {
  return {all.nodes.index_select(0, places),
          all.labels.index_select(0, places)};
}

}  // namespace

KnownLabels training_labels(const NodeDataset& data, const Split& split) {
  const at::Tensor labels = data.labels.index_select(0, split.train);
  const at::Tensor nodes = split.train.masked_select(labels.ge(0));
  return {nodes, data.labels.index_select(0, nodes)};
}

KnownLabels training_labels(const NodeDataset& data, int64_t split) {
  const auto count = static_cast<int64_t>(data.splits.size());
  if (split < 0 || split >= count) {
    fail(
        "the labels of training nodes are needed, but '{}' has {} splits and "
        "no split {}; give one with --split-set",
        data.name, count, split);
  }
  KnownLabels known =
      training_labels(data, data.splits[static_cast<size_t>(split)]);
  if (known.nodes.numel() == 0) {
    fail(
        "the labels of training nodes are needed, but split {} of '{}' has "
        "none",
        split, data.name);
  }
  return known;
}

SharedLabels share_labels(const KnownLabels& all, double rate,
                          const DropoutKey& key) {
  if (rate >= 1) return {all, all};
  const int64_t n = all.nodes.numel();
  const auto share = static_cast<int64_t>(std::floor(rate * double(n)));
  const int64_t told =
      std::clamp<int64_t>(share, 0, std::max<int64_t>(0, n - 1));
  const at::Tensor order = random_order(n, key, all.nodes.device());
  return {taken(all, order.narrow(0, 0, told)),
          taken(all, order.narrow(0, told, n - told))};
}

}  // namespace ordered_gnn::training
