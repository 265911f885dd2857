// Subspace iteration with (I + S) / 2, S = D^-1/2 A D^-1/2, whose eigenvalues
// are in [0, 1] with the same order as those of S.
#include <ATen/ATen.h>

#include <algorithm>

#include "data/layout/graph_embedding.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kVectors = 6;
constexpr int kSteps = 300;
constexpr int64_t kRowBlock = 1024;

// (x + S x) / 2 for [N, kVectors] rows that are scaled by 1 / sqrt(degree)
// already.
at::Tensor half_step(const Graph& graph, const at::Tensor& root,
                     const at::Tensor& col, const at::Tensor& x) {
  const at::Tensor scaled = (x * root).contiguous();
  const at::Tensor out = at::zeros_like(scaled);
  const int64_t* const rowptr = graph.in().rowptr.data_ptr<int64_t>();
  const int64_t* const sender = col.data_ptr<int64_t>();
  const double* const from = scaled.data_ptr<double>();
  double* const to = out.data_ptr<double>();
  const int64_t width = x.size(1);
  parallel_ranges(graph.num_nodes(), kRowBlock,
                  [&](int64_t begin, int64_t end) {
                    for (int64_t v = begin; v < end; ++v) {
                      for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
                        for (int64_t d = 0; d < width; ++d) {
                          to[v * width + d] += from[sender[e] * width + d];
                        }
                      }
                    }
                  });
  return (x + out * root) * 0.5;
}

}  // namespace

at::Tensor spectral_places(const Graph& graph) {
  const int64_t num_nodes = graph.num_nodes();
  const at::Tensor places = at::zeros({num_nodes, 2}, at::kDouble);
  const int64_t width = std::min(kVectors, num_nodes);
  if (width < 2) return places;
  const at::Tensor root = graph.inverse_in_degree().sqrt().unsqueeze(1);
  const at::Tensor col = graph.in().col.to(at::kLong);
  RandomStream random(0);
  at::Tensor x = at::empty({num_nodes, width}, at::kDouble);
  fill_uniform(x, -1, 1, random);
  x = std::get<0>(at::linalg_qr(x));
  for (int step = 0; step < kSteps; ++step) {
    x = std::get<0>(at::linalg_qr(half_step(graph, root, col, x)));
  }
  const at::Tensor small = x.t().mm(half_step(graph, root, col, x));
  const auto [values, turn] = at::linalg_eigh((small + small.t()) * 0.5);
  // The first says no more than the degrees.
  for (int64_t i = 0; i < std::min<int64_t>(2, width - 1); ++i) {
    const at::Tensor vector =
        x.mv(turn.select(1, width - 2 - i)) * root.squeeze(1);
    places.select(1, i).copy_(with_fixed_sign(vector));
  }
  return places;
}

}  // namespace ordered_gnn::data
