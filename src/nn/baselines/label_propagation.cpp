#include "nn/baselines/label_propagation.h"

#include <torch/types.h>

#include <optional>

#include "nn/baselines/graph_layers.h"
#include "ordered_gnn/ops/propagate.h"

namespace ordered_gnn::nn {
namespace {

class LabelPropagation : public Baseline {
 public:
  explicit LabelPropagation(const ModelPlan& plan)
      : Baseline(plan), num_classes_(plan.shape.num_classes) {}

  at::Tensor run(Pass& pass) override {
    const Graph& graph = pass.graph;
    const at::Tensor start =
        one_hot_labels(pass.context.known, graph.num_nodes(), num_classes_,
                       graph.inverse_in_degree().options().dtype(at::kFloat));
    const at::Tensor logits = log_shares(
        propagate(graph, start, {options_.alpha, options_.hops, {}}));
    pass.embed(logits);
    return logits;
  }

  std::optional<double> told_labels() const override { return 1.0; }

 private:
  int64_t num_classes_;
};

}  // namespace

const MakeModel kMakeLabelPropagation = &make_baseline<LabelPropagation>;

}  // namespace ordered_gnn::nn
