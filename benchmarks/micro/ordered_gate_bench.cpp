#include <ATen/core/grad_mode.h>

#include "micro/comparison.h"
#include "micro/pubmed_shape.h"
#include "ordered_gnn/ops/ordered_gate.h"
#include "support/reference.h"

namespace ordered_gnn::bench {
namespace {

struct Inputs {
  at::Tensor logits = noise({kNodes, kGates});
  at::Tensor prev_gate = noise({kNodes, kGates}).sigmoid();
  at::Tensor h = noise({kNodes, kWidth});
  at::Tensor m = noise({kNodes, kWidth});
};

at::Tensor combine(Side side, const Inputs& in) {
  const auto gate = side == Side::ours ? ordered_gate : reference::ordered_gate;
  return gate(Gating::softor, in.logits, in.prev_gate, in.h, in.m).h;
}

// Forward reads logits, previous gates, h and m and writes gates and h';
// backward reads all of them and two gradients and writes four.
Work work(bool backward) {
  const int64_t gate_rows = backward ? 3 + 6 : 3;
  const int64_t wide_rows = backward ? 3 + 5 : 3;
  const int64_t floats = kNodes * (gate_rows * kGates + wide_rows * kWidth);
  return {"rows/s", kNodes, floats * static_cast<int64_t>(sizeof(float))};
}

std::function<void()> forward(Side side) {
  return [side, in = Inputs()] {
    const at::NoGradGuard no_grad;
    combine(side, in);
  };
}

std::function<void()> training(Side side) {
  Inputs in;
  for (at::Tensor* const tensor : {&in.logits, &in.prev_gate, &in.h, &in.m}) {
    tensor->requires_grad_();
  }
  return [side, in, grad = noise({kNodes, kWidth})] {
    for (const at::Tensor& tensor : {in.logits, in.prev_gate, in.h, in.m}) {
      tensor.mutable_grad().reset();
    }
    combine(side, in).backward(grad);
  };
}

}  // namespace

void add_ordered_gate() {
  compare("ordered_gate/forward", work(/*backward=*/false), forward);
  compare("ordered_gate/forward_and_backward", work(/*backward=*/true),
          training);
}

}  // namespace ordered_gnn::bench
