#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "micro/comparison.h"
#include "micro/pubmed_shape.h"
#include "ordered_gnn/ops/feature_linear.h"

namespace ordered_gnn::bench {
namespace {

constexpr double kDropout = 0.5;

struct Layer {
  explicit Layer(Side side)
      : side(side),
        // Sparse features read the transpose of the weight row by row.
        weight(side == Side::ours ? at::empty({kFeatures, kWidth}).t()
                                  : at::empty({kWidth, kFeatures})),
        bias(at::zeros({kWidth})) {
    weight.copy_(noise({kWidth, kFeatures}));
    if (side == Side::libtorch) dense = pubmed_features().to_dense();
  }

  // The other side is what one writes with dense features; its masks come
  // from LibTorch's own generator.
  at::Tensor operator()(bool train) const {
    const double p = train ? kDropout : 0;
    if (side == Side::ours) {
      return feature_linear(pubmed_features(), weight, bias, p, DropoutKey());
    }
    return at::linear(at::dropout(dense, p, train), weight, bias);
  }

  Side side;
  at::Tensor weight;
  at::Tensor bias;
  at::Tensor dense;
};

// Every stored entry reads its column, its value and a row of the weight;
// every node writes a row. Backward mirrors that with rows of the gradient.
Work work(int64_t passes) {
  constexpr int64_t kRowBytes = kWidth * sizeof(float);
  constexpr int64_t kEntryBytes = kRowBytes + sizeof(int32_t) + sizeof(float);
  const int64_t bytes = kNodes * (kFeaturesPerNode * kEntryBytes + kRowBytes);
  return {"rows/s", kNodes, passes * bytes};
}

std::function<void()> forward(Side side) {
  return [layer = Layer(side)] {
    const at::NoGradGuard no_grad;
    layer(/*train=*/false);
  };
}

std::function<void()> training(Side side) {
  Layer layer(side);
  layer.weight.requires_grad_();
  layer.bias.requires_grad_();
  return [layer, grad = noise({kNodes, kWidth})] {
    layer.weight.mutable_grad().reset();
    layer.bias.mutable_grad().reset();
    layer(/*train=*/true).backward(grad);
  };
}

}  // namespace

void add_feature_linear() {
  compare("feature_linear/forward", work(1), forward);
  compare("feature_linear/dropout_forward_and_backward", work(2), training);
}

}  // namespace ordered_gnn::bench
