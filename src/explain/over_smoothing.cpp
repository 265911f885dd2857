#include "ordered_gnn/explain/over_smoothing.h"

#include <ATen/Functions.h>

#include <cmath>
#include <limits>
#include <vector>

#include "explain/neighbours.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kSpreadRowsPerBlock = 2048;
constexpr uint64_t kPairSeed = 20230;

struct Rows {
  const float* value;
  int64_t nodes;
  int64_t width;
  const float* of(int64_t node) const { return value + node * width; }
};

// Sums of the blocks, each made by one thread, added in the order of the
// blocks: the same bits for any number of threads.
template <typename Body>
double sum_of_blocks(int64_t size, int64_t block_size, const Body& body) {
  const int64_t blocks = (size + block_size - 1) / block_size;
  std::vector<double> sums(static_cast<size_t>(blocks));
  parallel_ranges(size, block_size, [&](int64_t begin, int64_t end) {
    double sum = 0;
    for (int64_t i = begin; i < end; ++i) sum += body(i);
    sums[static_cast<size_t>(begin / block_size)] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return total;
}

// A float sum of squares keeps seven digits, which is more than a curve shows,
// and runs at the width of the vector units.
double square_distance(const float* a, const float* b, int64_t width) {
  constexpr int64_t kLanes = 16;
  float lane[kLanes] = {};
  int64_t j = 0;
  for (; j + kLanes <= width; j += kLanes) {
    for (int64_t i = 0; i < kLanes; ++i) {
      const float gap = a[j + i] - b[j + i];
      lane[i] += gap * gap;
    }
  }
  double sum = 0;
  for (; j < width; ++j) {
    const double gap = static_cast<double>(a[j]) - b[j];
    sum += gap * gap;
  }
  for (const float part : lane) sum += part;
  return sum;
}

double norm_of(const float* row, int64_t width) {
  double sum = 0;
  for (int64_t j = 0; j < width; ++j) {
    sum += static_cast<double>(row[j]) * row[j];
  }
  return std::sqrt(sum);
}

// Columns' sums of weight(v) * row v, block by block.
template <typename Weight>
std::vector<double> weighted_sum(const Rows& rows, const Weight& weight) {
  const int64_t blocks =
      (rows.nodes + kSpreadRowsPerBlock - 1) / kSpreadRowsPerBlock;
  std::vector<std::vector<double>> sums(static_cast<size_t>(blocks));
  parallel_ranges(
      rows.nodes, kSpreadRowsPerBlock, [&](int64_t begin, int64_t end) {
        std::vector<double> sum(static_cast<size_t>(rows.width));
        for (int64_t v = begin; v < end; ++v) {
          const double factor = weight(v);
          const float* const row = rows.of(v);
          for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * row[j];
        }
        sums[static_cast<size_t>(begin / kSpreadRowsPerBlock)] = std::move(sum);
      });
  std::vector<double> total(static_cast<size_t>(rows.width));
  for (const std::vector<double>& sum : sums) {
    for (size_t j = 0; j < total.size(); ++j) total[j] += sum[j];
  }
  return total;
}

std::vector<double> norms_of(const Rows& rows) {
  std::vector<double> norms(static_cast<size_t>(rows.nodes));
  parallel_ranges(
      rows.nodes, kSpreadRowsPerBlock, [&](int64_t begin, int64_t end) {
        for (int64_t v = begin; v < end; ++v) {
          norms[static_cast<size_t>(v)] = norm_of(rows.of(v), rows.width);
        }
      });
  for (size_t v = 0; v < norms.size(); ++v) {
    if (std::isfinite(norms[v])) continue;
    fail(
        "the state of node {} is not finite; the model has diverged, train it "
        "again with a smaller --lr",
        v);
  }
  return norms;
}

// Squares of distances from the mean, so that states which are nearly equal do
// not cancel.
double mean_square_distance(const Rows& rows) {
  std::vector<double> mean = weighted_sum(rows, [](int64_t) { return 1.0; });
  const auto nodes = static_cast<double>(rows.nodes);
  for (double& value : mean) value /= nodes;
  const double sum =
      sum_of_blocks(rows.nodes, kSpreadRowsPerBlock, [&](int64_t v) {
        const float* const row = rows.of(v);
        double square = 0;
        for (size_t j = 0; j < mean.size(); ++j) {
          const double gap = row[j] - mean[j];
          square += gap * gap;
        }
        return square;
      });
  return 2 * sum / (nodes - 1);
}

double mean_distance(const Rows& rows) {
  const auto distance = [&](int64_t a, int64_t b) {
    return std::sqrt(square_distance(rows.of(a), rows.of(b), rows.width));
  };
  if (rows.nodes * (rows.nodes - 1) / 2 <= kMostPairs) {
    const double sum = sum_of_blocks(rows.nodes, 16, [&](int64_t a) {
      double part = 0;
      for (int64_t b = a + 1; b < rows.nodes; ++b) part += distance(a, b);
      return part;
    });
    return 2 * sum / static_cast<double>(rows.nodes * (rows.nodes - 1));
  }
  // A stream per pair, so that blocks need not know of each other.
  const double sum =
      sum_of_blocks(kMostPairs, kSpreadRowsPerBlock, [&](int64_t pair) {
        RandomStream random(kPairSeed, static_cast<uint64_t>(pair));
        const auto n = static_cast<uint64_t>(rows.nodes);
        const uint64_t a = random.below(n);
        const uint64_t b = (a + 1 + random.below(n - 1)) % n;
        return distance(static_cast<int64_t>(a), static_cast<int64_t>(b));
      });
  return sum / static_cast<double>(kMostPairs);
}

double edge_energy(const Graph& graph, const Rows& rows) {
  const int64_t edges = graph.num_edges() - graph.num_self_loops();
  if (edges == 0) return kNoNumber;
  const explain::Neighbours neighbours(graph.in());
  const double sum = sum_of_blocks(rows.nodes, 256, [&](int64_t v) {
    double part = 0;
    neighbours.for_each(v, [&](int64_t u) {
      part += square_distance(rows.of(u), rows.of(v), rows.width);
    });
    return part;
  });
  return sum / static_cast<double>(edges);
}

// Sum of the cosines of all ordered pairs is |sum of unit rows|^2 less the
// pairs of a row with itself.
double mean_cosine(const Rows& rows, const std::vector<double>& norms) {
  int64_t present = 0;
  for (const double norm : norms) present += norm > 0;
  const std::vector<double> sum = weighted_sum(rows, [&](int64_t v) {
    const double norm = norms[static_cast<size_t>(v)];
    return norm > 0 ? 1 / norm : 0.0;
  });
  double square = 0;
  for (const double value : sum) square += value * value;
  return (square - static_cast<double>(present)) /
         static_cast<double>(rows.nodes * (rows.nodes - 1));
}

at::Tensor checked_state(const Graph& graph, const at::Tensor& state) {
  if (!state.defined() || state.dim() != 2 || !state.is_floating_point() ||
      !state.device().is_cpu() || state.size(0) != graph.num_nodes()) {
    fail("states of a layer are a floating-point matrix [{}, D] on the CPU",
         graph.num_nodes());
  }
  return state.detach().to(at::kFloat).contiguous();
}

}  // namespace

LayerSpread measure_spread(const Graph& graph, const at::Tensor& state) {
  const at::Tensor held = checked_state(graph, state);
  const Rows rows{held.data_ptr<float>(), held.size(0), held.size(1)};
  const std::vector<double> norms = norms_of(rows);
  LayerSpread out{kNoNumber, kNoNumber, kNoNumber, kNoNumber,
                  kNoNumber, kNoNumber, kNoNumber};
  if (rows.nodes == 0) return out;
  double sum = 0;
  for (const double norm : norms) sum += norm;
  out.mean_norm = sum / static_cast<double>(rows.nodes);
  if (rows.nodes == 1) return out;
  out.mean_distance = mean_distance(rows);
  if (out.mean_norm > 0) {
    out.relative_distance = out.mean_distance / out.mean_norm;
  }
  out.mean_square_distance = mean_square_distance(rows);
  out.dirichlet_energy = edge_energy(graph, rows);
  if (out.mean_square_distance > 0) {
    out.relative_energy = out.dirichlet_energy / out.mean_square_distance;
  }
  out.mean_cosine = mean_cosine(rows, norms);
  return out;
}

}  // namespace ordered_gnn
