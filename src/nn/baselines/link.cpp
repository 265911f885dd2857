#include "nn/baselines/link.h"

#include <torch/types.h>

#include <memory>

#include "nn/baselines/graph_layers.h"

namespace ordered_gnn::nn {
namespace {

class Link : public Baseline {
 public:
  explicit Link(const ModelPlan& plan) : Baseline(plan) {
    output_ = register_module(
        "output",
        std::make_shared<RowPerNode>(plan.shape.num_nodes,
                                     plan.shape.num_classes, plan.random));
  }

  at::Tensor run(Pass& pass) override {
    const at::Tensor logits = output_->forward(pass.graph);
    pass.embed(logits);
    return logits;
  }

  bool needs_whole_graph() const override { return true; }

 private:
  std::shared_ptr<RowPerNode> output_;
};

}  // namespace

const MakeModel kMakeLink = &make_baseline<Link>;

}  // namespace ordered_gnn::nn
