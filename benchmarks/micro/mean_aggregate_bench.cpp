#include <ATen/core/grad_mode.h>

#include "micro/comparison.h"
#include "micro/pubmed_shape.h"
#include "ordered_gnn/ops/mean_aggregate.h"
#include "support/reference.h"

namespace ordered_gnn::bench {
namespace {

constexpr int64_t kRowBytes = kWidth * sizeof(float);

at::Tensor aggregate(Side side, const at::Tensor& h) {
  return side == Side::ours ? mean_aggregate(pubmed_graph(), h)
                            : reference::mean_aggregate(pubmed_graph(), h);
}

// Every edge reads its column index and a row; every node writes a row.
Work work(int64_t passes) {
  const int64_t edges = pubmed_graph().num_edges();
  const int64_t bytes =
      edges * (kRowBytes + static_cast<int64_t>(sizeof(int32_t))) +
      kNodes * (kRowBytes + static_cast<int64_t>(sizeof(int64_t)));
  return {"edges/s", passes * edges, passes * bytes};
}

std::function<void()> forward(Side side) {
  return [side, h = noise({kNodes, kWidth})] {
    const at::NoGradGuard no_grad;
    aggregate(side, h);
  };
}

std::function<void()> training(Side side) {
  return [side, h = noise({kNodes, kWidth}).requires_grad_(),
          grad = noise({kNodes, kWidth})] {
    h.mutable_grad().reset();
    aggregate(side, h).backward(grad);
  };
}

}  // namespace

void add_mean_aggregate() {
  compare("mean_aggregate/forward", work(1), forward);
  compare("mean_aggregate/forward_and_backward", work(2), training);
}

}  // namespace ordered_gnn::bench
