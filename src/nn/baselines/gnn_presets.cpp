#include "nn/baselines/gnn_presets.h"

namespace ordered_gnn::nn {
namespace {

OrderedGnnOptions with_gating(Gating gating, OrderedGnnOptions network) {
  network.gating = gating;
  return network;
}

}  // namespace

OrderedGnnOptions with_simple_gates(const ModelOptions& options) {
  return with_gating(Gating::simple, options);
}

OrderedGnnOptions without_gates(const ModelOptions& options) {
  return with_gating(Gating::none, options);
}

}  // namespace ordered_gnn::nn
