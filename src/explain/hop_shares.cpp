#include "ordered_gnn/explain/hop_shares.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kShareRowsPerBlock = 4096;
constexpr double kSplitRounding = 1e-6;  // of the width

void check_splits(const std::vector<at::Tensor>& splits, int64_t width) {
  if (splits.empty()) fail("hop shares need the splits of a layer");
  if (width < 1) fail("a state has at least one neuron, not {}", width);
  for (size_t k = 0; k < splits.size(); ++k) {
    const at::Tensor& layer = splits[k];
    if (!layer.defined() || layer.dim() != 1 ||
        layer.scalar_type() != at::kDouble ||
        layer.size(0) != splits[0].size(0)) {
      fail("splits of layer {} must be float64 [N], N that of layer 1", k + 1);
    }
    const at::Tensor values = layer.contiguous();
    const double* const value = values.data_ptr<double>();
    const auto d = static_cast<double>(width);
    for (int64_t v = 0; v < values.numel(); ++v) {
      if (value[v] >= -kSplitRounding * d &&
          value[v] <= (1 + kSplitRounding) * d) {
        continue;
      }
      fail("the split of node {} in layer {} is {}, not in [0, {}]", v, k + 1,
           value[v], width);
    }
  }
}

}  // namespace

at::Tensor hop_shares(const std::vector<at::Tensor>& splits, int64_t width) {
  check_splits(splits, width);
  const auto layers = static_cast<int64_t>(splits.size());
  std::vector<at::Tensor> rows;
  std::vector<const double*> split;
  for (const at::Tensor& layer : splits) {
    rows.push_back(layer.contiguous());
    split.push_back(rows.back().data_ptr<double>());
  }
  const int64_t nodes = splits[0].size(0);
  at::Tensor out = at::empty({nodes, layers + 1}, at::kDouble);
  double* const share = out.data_ptr<double>();
  const auto d = static_cast<double>(width);
  parallel_ranges(nodes, kShareRowsPerBlock, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      double* const row = share + v * (layers + 1);
      double above = 1;  // Q^{k+1} / D
      for (int64_t k = layers; k >= 1; --k) {
        const double kept = split[static_cast<size_t>(k - 1)][v] / d;
        const double here = std::min(above, std::max(kept, 0.0));
        row[k] = above - here;
        above = here;
      }
      row[0] = above;
    }
  });
  return out;
}

at::Tensor last_hop_shares(int64_t num_nodes, int64_t num_layers) {
  at::Tensor out = at::zeros({num_nodes, num_layers + 1}, at::kDouble);
  out.select(1, num_layers).fill_(1);
  return out;
}

int64_t depth_that_matters(const std::vector<double>& shares, double covered) {
  if (shares.size() < 2) return 0;
  double sum = shares[0];
  size_t hop = 1;
  for (; hop + 1 < shares.size(); ++hop) {
    sum += shares[hop];
    if (sum >= covered) break;
  }
  return static_cast<int64_t>(hop);
}

}  // namespace ordered_gnn
