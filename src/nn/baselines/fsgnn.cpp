#include "nn/baselines/fsgnn.h"

#include <torch/types.h>

#include <memory>
#include <vector>

#include "nn/baselines/graph_layers.h"
#include "nn/parameters.h"
#include "ordered_gnn/ops/linear.h"
#include "ordered_gnn/ops/scaled_aggregate.h"

namespace ordered_gnn::nn {
namespace {

int64_t num_hop_maps(const ModelOptions& options) {
  return 2 * options.hops + 1;
}

// Appends the parts of `h`, the first of them after one step, the second after
// two, and so on. A part that has arrived is not carried on.
template <typename Step>
void append_moved(const Step& step, at::Tensor h, int64_t width,
                  std::vector<at::Tensor>& parts) {
  while (true) {
    h = step(h);
    parts.push_back(h.narrow(1, 0, width));
    if (h.size(1) == width) return;
    h = h.narrow(1, width, h.size(1) - width);
  }
}

class Fsgnn : public Baseline {
 public:
  explicit Fsgnn(const ModelPlan& plan) : Baseline(plan) {
    const int64_t all = num_hop_maps(options_) * options_.hidden;
    input_ = register_input(first_affine(plan, all));
    shares_ = register_parameter(
        "shares", constant_parameter({num_hop_maps(options_)}, 1));
    output_ = register_module("output", class_affine(plan, all));
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor z =
        dropped_linear(pass.first(), input_->weight, {}, 0, pass.sites);
    at::Tensor h = moved(pass.graph, z) + input_->bias;
    const int64_t maps = num_hop_maps(options_);
    if (options_.unit_rows) {
      h = unit_rows(h.view({h.size(0) * maps, options_.hidden}));
    }
    h = h.view({z.size(0), maps, options_.hidden}) *
        shares_.softmax(/*dim=*/0).unsqueeze(1);
    const at::Tensor all =
        pass.sites.drop(h.view({z.size(0), maps * options_.hidden}).relu(),
                        options_.dropout_theta);
    pass.embed(all);
    return linear(all, output_->weight, output_->bias);
  }

 private:
  /// [N, (2 K + 1) D] of z = X W: every part moved by its hops.
  at::Tensor moved(const Graph& graph, const at::Tensor& z) const {
    const int64_t width = options_.hidden;
    const int64_t of_hops = options_.hops * width;
    const at::Tensor degree = graph.in().rowptr.diff().to(at::kDouble);
    const at::Tensor root = degree.clamp_min(1).rsqrt();
    const at::Tensor looped = (degree + 1).rsqrt();
    const at::Tensor share = (degree + 1).reciprocal().to(z.scalar_type());
    std::vector<at::Tensor> parts = {z.narrow(1, 0, width)};
    append_moved(
        [&](const at::Tensor& h) {
          return scaled_aggregate(graph, root, root, h);
        },
        z.narrow(1, width, of_hops), width, parts);
    append_moved(
        [&](const at::Tensor& h) {
          return scaled_aggregate(graph, looped, looped, h) +
                 h * share.unsqueeze(1);
        },
        z.narrow(1, width + of_hops, of_hops), width, parts);
    return at::cat(parts, /*dim=*/1);
  }

  std::shared_ptr<Affine> input_;
  at::Tensor shares_;
  std::shared_ptr<Affine> output_;
};

}  // namespace

const MakeModel kMakeFsgnn = &make_baseline<Fsgnn>;

}  // namespace ordered_gnn::nn
