#include "lab/bench/gemm_floor.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include "core/names.h"
#include "ops/cpu/gemm.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {

OrderedGnnOptions network_of(const RunOptions& options) {
  const ModelEntry& model = find_model(options.model);
  if (model.as_ordered_gnn != nullptr) {
    return model.as_ordered_gnn(options.network);
  }
  std::vector<std::string> known;
  for (const ModelEntry& entry : model_table()) {
    if (entry.as_ordered_gnn != nullptr) known.push_back(entry.name);
  }
  throw UsageError(
      fmt::format("the floor is known for {}, not for {}; choose --parts epoch",
                  core::listed(known), model.name));
}

GemmFloor::GemmFloor(const NodeDataset& data, const RunOptions& options,
                     const at::TensorOptions& operands)
    : operands_(operands) {
  const OrderedGnnOptions network = network_of(options);
  const int64_t rows = data.num_nodes();
  const int64_t width = network.hidden;
  if (data.features.kind() == NodeFeatures::Kind::dense) {
    add(rows, data.features.num_features(), width, /*needs_grad_x=*/false);
  }
  for (int64_t i = 1; i < network.mlp_layers; ++i) {
    add(rows, width, width, /*needs_grad_x=*/true);
  }
  if (network.gating != Gating::none) {
    for (int64_t k = 0; k < network.layers; ++k) {
      add(rows, 2 * width, width / network.chunk, /*needs_grad_x=*/true);
    }
  }
  if (network.transform != Transform::none) {
    for (int64_t k = 0; k < network.layers; ++k) {
      add(rows, 2 * width, width, /*needs_grad_x=*/true);
    }
  }
  add(rows, width, data.num_classes, /*needs_grad_x=*/true);
}

void GemmFloor::add(int64_t rows, int64_t in, int64_t out, bool needs_grad_x) {
  // Layers of one shape share operands: what a product costs does not depend
  // on which numbers it multiplies, and 64 layers would not fit.
  for (const AffineProducts& known : products_) {
    if (known.x.size(1) == in && known.weight.size(0) == out) {
      products_.push_back(known);
      products_.back().needs_grad_x = needs_grad_x;
      return;
    }
  }
  products_.push_back(
      {at::rand({rows, in}, operands_), at::rand({out, in}, operands_),
       at::rand({rows, out}, operands_), at::zeros({rows, out}, operands_),
       at::zeros({out, in}, operands_), needs_grad_x});
}

double GemmFloor::flop() const {
  double flop = 0;
  for (const AffineProducts& p : products_) {
    flop += 2.0 * static_cast<double>(p.x.numel()) *
            static_cast<double>(p.weight.size(0)) * (p.needs_grad_x ? 3 : 2);
  }
  return flop;
}

void GemmFloor::run_whole(int threads) {
  const at::NoGradGuard no_grad;
  const TorchThreads scope(threads);
  for (AffineProducts& p : products_) {
    at::mm_out(p.out, p.x, p.weight.t());
    at::mm_out(p.grad_weight, p.grad.t(), p.x);
    if (p.needs_grad_x) at::mm(p.grad, p.weight);
  }
}

void GemmFloor::run_own() {
  const at::NoGradGuard no_grad;
  for (AffineProducts& p : products_) {
    cpu::add_product(p.x, p.weight, p.out);
    cpu::weight_gradient(p.grad, p.x, p.grad_weight);
    if (p.needs_grad_x) cpu::input_gradient(p.grad, p.weight);
  }
}

}  // namespace ordered_gnn::lab
