// Landmark multi-dimensional scaling. Hop distances are searched for twice,
// once for those between landmarks and once to place all nodes, so that the
// distances of all nodes to all landmarks are never in memory together.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "data/layout/graph_embedding.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kLandmarks = 512;

class HopSearch {
 public:
  explicit HopSearch(const Graph& graph)
      : rowptr_(graph.in().rowptr.data_ptr<int64_t>()),
        col_(graph.in().col.to(at::kLong)),
        hops_(static_cast<size_t>(graph.num_nodes())) {
    queue_.reserve(hops_.size());
  }

  /// Hops from `start` to every node, -1 for those without a path.
  const std::vector<int64_t>& from(int64_t start) {
    const int64_t* const col = col_.data_ptr<int64_t>();
    std::fill(hops_.begin(), hops_.end(), -1);
    queue_.assign(1, start);
    hops_[static_cast<size_t>(start)] = 0;
    for (size_t next = 0; next < queue_.size(); ++next) {
      const int64_t v = queue_[next];
      for (int64_t e = rowptr_[v]; e < rowptr_[v + 1]; ++e) {
        int64_t& hops = hops_[static_cast<size_t>(col[e])];
        if (hops >= 0) continue;
        hops = hops_[static_cast<size_t>(v)] + 1;
        queue_.push_back(col[e]);
      }
    }
    return hops_;
  }

  int64_t furthest() const { return hops_[static_cast<size_t>(queue_.back())]; }

 private:
  const int64_t* rowptr_;
  const at::Tensor col_;
  std::vector<int64_t> hops_;
  std::vector<int64_t> queue_;
};

std::vector<int64_t> landmarks_of(int64_t num_nodes) {
  RandomStream random(0);
  const at::Tensor order =
      num_nodes <= kLandmarks
          ? at::arange(num_nodes, at::kLong)
          : random_permutation(num_nodes, random).narrow(0, 0, kLandmarks);
  const int64_t* const first = order.data_ptr<int64_t>();
  return {first, first + order.numel()};
}

// What places a node: its squared distances to the landmarks, less `mean`,
// times `weight`.
struct Scaling {
  at::Tensor mean;    // [L]
  at::Tensor weight;  // [2, L]
};

// Classical scaling of squared distances [L, L] to two dimensions. A dimension
// that the distances do not have is 0 for all.
Scaling scaling_of(const at::Tensor& squared) {
  constexpr double kLeastSpread = 1e-9;
  const int64_t size = squared.size(0);
  const at::Tensor mean = squared.mean(0);
  const at::Tensor centred =
      (squared - mean.unsqueeze(0) - mean.unsqueeze(1) + mean.mean()) * -0.5;
  const auto [values, vectors] = at::linalg_eigh(centred);
  Scaling out{mean, at::zeros({2, size}, at::kDouble)};
  for (int64_t i = 0; i < std::min<int64_t>(2, size); ++i) {
    const double value = values[size - 1 - i].item<double>();
    if (value < kLeastSpread) continue;
    out.weight[i].copy_(with_fixed_sign(vectors.select(1, size - 1 - i)) *
                        (-0.5 / std::sqrt(value)));
  }
  return out;
}

}  // namespace

at::Tensor with_fixed_sign(const at::Tensor& vector) {
  if (vector.numel() == 0) return vector;
  const at::Tensor largest = vector[vector.abs().argmax()];
  return largest.item<double>() < 0 ? -vector : vector;
}

at::Tensor isomap_places(const Graph& graph) {
  const int64_t num_nodes = graph.num_nodes();
  const at::Tensor places = at::zeros({num_nodes, 2}, at::kDouble);
  if (num_nodes == 0) return places;
  const std::vector<int64_t> landmarks = landmarks_of(num_nodes);
  const auto count = static_cast<int64_t>(landmarks.size());
  HopSearch search(graph);
  const at::Tensor between = at::empty({count, count}, at::kDouble);
  int64_t furthest = 0;
  for (int64_t l = 0; l < count; ++l) {
    const std::vector<int64_t>& hops = search.from(landmarks[size_t(l)]);
    furthest = std::max(furthest, search.furthest());
    double* const row = between.data_ptr<double>() + l * count;
    for (int64_t k = 0; k < count; ++k) {
      row[k] = static_cast<double>(hops[size_t(landmarks[size_t(k)])]);
    }
  }
  const auto apart = static_cast<double>(furthest + 1);
  const Scaling scaling = scaling_of(
      at::where(between < 0, at::full_like(between, apart), between).square());
  const double* const mean = scaling.mean.data_ptr<double>();
  const double* const weight = scaling.weight.data_ptr<double>();
  double* const place = places.data_ptr<double>();
  for (int64_t l = 0; l < count; ++l) {
    const std::vector<int64_t>& hops = search.from(landmarks[size_t(l)]);
    for (int64_t v = 0; v < num_nodes; ++v) {
      const int64_t found = hops[size_t(v)];
      const double distance = found < 0 ? apart : static_cast<double>(found);
      const double excess = distance * distance - mean[l];
      place[2 * v] += weight[l] * excess;
      place[2 * v + 1] += weight[count + l] * excess;
    }
  }
  return places;
}

}  // namespace ordered_gnn::data
