#include "lab/bench/torch_composition.h"

#include <c10/util/Exception.h>
#include <torch/nn/functional/loss.h>
#include <torch/types.h>
#include <torch/version.h>

#include <cmath>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/layers.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

// LibTorch calls its sparse CSR tensors a beta, once, on standard error.
#if TORCH_VERSION_MAJOR < 2
class NoWarnings : public c10::WarningHandler {
 public:
  void process(const c10::SourceLocation& /*place*/,
               const std::string& /*message*/, bool /*verbatim*/) override {}
};
using WarningScope = c10::Warning::WarningHandlerGuard;
#else
class NoWarnings : public c10::WarningHandler {
 public:
  void process(const c10::Warning& /*warning*/) override {}
};
using WarningScope = c10::WarningUtils::WarningHandlerGuard;
#endif

// Row v holds 1 / degree of v at its in-neighbours.
at::Tensor mean_matrix(const Graph& graph) {
  NoWarnings silent;
  const WarningScope scope(&silent);
  const at::Tensor rowptr = graph.in().rowptr;
  const at::Tensor share = at::repeat_interleave(
      graph.inverse_in_degree().to(at::kFloat), rowptr.diff());
  return at::sparse_csr_tensor(rowptr, graph.in().col.to(at::kLong), share,
                               {graph.num_nodes(), graph.num_nodes()},
                               share.options().layout(at::kSparseCsr));
}

bool is_composed(const RunOptions& options) {
  const auto as_ordered_gnn = find_model(options.model).as_ordered_gnn;
  if (as_ordered_gnn == nullptr) return false;
  const OrderedGnnOptions n = as_ordered_gnn(options.network);
  return n.layers > 0 && n.gating == Gating::softor &&
         n.aggregator == Aggregator::mean &&
         n.directions == Directions::joint && n.node_ids == NodeIds::none &&
         n.first_state == FirstState::own && !n.residual && !n.tied_gates;
}

}  // namespace

TorchComposition::TorchComposition(const NodeDataset& data,
                                   const RunOptions& options)
    : network_(options.network) {
  const OrderedGnnOptions& n = network_;
  if (!is_composed(options)) {
    throw UsageError(
        "the unfused comparison is the paper's network, with any transform and "
        "norms; leave --gating, --aggregator, --directions, --first-state, "
        "--node-ids, "
        "--residual and --tied-gates at their defaults or choose --parts "
        "epoch,floor");
  }
  features_ = data.features.to_dense();
  mean_ = mean_matrix(data.graph);
  const at::Tensor& train = data.splits.at(0).train;
  nodes_ = train.masked_select(data.labels.index_select(0, train).ge(0));
  labels_ = data.labels.index_select(0, nodes_);
  for (int64_t i = 0; i < n.mlp_layers; ++i) {
    input_.push_back(
        make_affine(i == 0 ? features_.size(1) : n.hidden, n.hidden));
    input_norms_.push_back(make_norm(Norm::layer));
  }
  for (int64_t k = 0; k < n.layers; ++k) {
    gates_.push_back(make_affine(2 * n.hidden, n.hidden / n.chunk));
    norms_.push_back(make_norm(n.norm));
    if (n.transform == Transform::none) continue;
    candidates_.push_back(make_affine(2 * n.hidden, n.hidden));
    candidate_norms_.push_back(make_norm(n.candidate_norm));
  }
  output_ = make_affine(n.hidden, data.num_classes);
  adam_ = std::make_unique<torch::optim::Adam>(
      parameters_, torch::optim::AdamOptions(options.train.lr)
                       .weight_decay(options.train.l2_theta));
}

TorchComposition::Pair TorchComposition::make_affine(int64_t in, int64_t out) {
  const double bound = 1.0 / std::sqrt(static_cast<double>(in));
  const auto uniform = [&](at::IntArrayRef sizes) {
    parameters_.push_back(
        torch::empty(sizes).uniform_(-bound, bound).requires_grad_());
    return parameters_.back();
  };
  const at::Tensor weight = uniform({out, in});
  return {weight, uniform({out})};
}

TorchComposition::Normed TorchComposition::make_norm(Norm kind) {
  Normed norm{kind, {}, {}, {}};
  if (kind == Norm::none) return norm;
  norm.pair = {torch::ones({network_.hidden}, at::requires_grad()),
               torch::zeros({network_.hidden}, at::requires_grad())};
  parameters_.push_back(norm.pair.weight);
  parameters_.push_back(norm.pair.bias);
  if (kind == Norm::layer) return norm;
  norm.running_mean = torch::zeros({network_.hidden});
  norm.running_var = torch::ones({network_.hidden});
  return norm;
}

at::Tensor TorchComposition::normed(const at::Tensor& x,
                                    const Normed& norm) const {
  if (norm.kind == Norm::none) return x;
  if (norm.kind == Norm::layer) {
    return at::layer_norm(x, {network_.hidden}, norm.pair.weight,
                          norm.pair.bias);
  }
  return at::batch_norm(x, norm.pair.weight, norm.pair.bias, norm.running_mean,
                        norm.running_var, /*training=*/true, kBatchMomentum,
                        kNormEps, /*cudnn_enabled=*/false);
}

at::Tensor TorchComposition::written(size_t layer, const at::Tensor& x,
                                     const at::Tensor& m) const {
  if (candidates_.empty()) return m;
  const Pair& map = candidates_[layer];
  return at::relu(normed(at::linear(at::cat({m, x}, 1), map.weight, map.bias),
                         candidate_norms_[layer]));
}

at::Tensor TorchComposition::forward() const {
  const OrderedGnnOptions& n = network_;
  at::Tensor x = features_;
  for (size_t i = 0; i < input_.size(); ++i) {
    x = at::dropout(x, n.dropout_theta, /*train=*/true);
    x = at::relu(at::linear(x, input_[i].weight, input_[i].bias));
    x = normed(x, input_norms_[i]);
  }
  at::Tensor gate = at::zeros({n.hidden / n.chunk});
  for (size_t k = 0; k < gates_.size(); ++k) {
    x = at::dropout(x, n.dropout_xi, /*train=*/true);
    const at::Tensor m = at::matmul(mean_, x);
    const at::Tensor logits =
        at::linear(at::cat({x, m}, 1), gates_[k].weight, gates_[k].bias);
    const at::Tensor opened = at::cumsum(at::softmax(logits, 1).flip(1), 1);
    gate = gate + (1 - gate) * opened.flip(1);
    const at::Tensor wide = at::repeat_interleave(gate, n.chunk, 1);
    x = normed(x * wide + written(k, x, m) * (1 - wide), norms_[k]);
  }
  x = at::dropout(x, n.dropout_theta, /*train=*/true);
  return at::linear(x, output_.weight, output_.bias);
}

double TorchComposition::step() {
  const at::Tensor loss = torch::nn::functional::cross_entropy(
      forward().index_select(0, nodes_), labels_);
  adam_->zero_grad();
  loss.backward();
  adam_->step();
  return loss.item<double>();
}

}  // namespace ordered_gnn::lab
