#include "explain/spread_terms.h"

#include <cmath>
#include <limits>

#include "explain/neighbours.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"

namespace ordered_gnn::explain {
namespace {

constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
constexpr int64_t kSpreadRowsPerBlock = 2048;
constexpr int64_t kEdgeRowsPerBlock = 256;
constexpr uint64_t kPairSeed = 20230;

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

double sum_of(const std::vector<double>& values, int64_t block_size) {
  return sum_of_blocks(
      static_cast<int64_t>(values.size()), block_size,
      [&](int64_t i) { return values[static_cast<size_t>(i)]; });
}

// A number of every row, block by block.
template <typename Body>
std::vector<double> of_rows(int64_t nodes, int64_t block_size,
                            const Body& body) {
  std::vector<double> out(static_cast<size_t>(nodes));
  parallel_ranges(nodes, block_size, [&](int64_t begin, int64_t end) {
    for (int64_t v = begin; v < end; ++v) {
      out[static_cast<size_t>(v)] = body(v);
    }
  });
  return out;
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

bool takes_all_pairs(int64_t nodes) {
  return nodes * (nodes - 1) / 2 <= kMostPairs;
}

struct NodePair {
  int64_t a, b;
};

// A stream per pair, so that blocks need not know of each other.
NodePair drawn_pair(int64_t pair, int64_t nodes) {
  RandomStream random(kPairSeed, static_cast<uint64_t>(pair));
  const auto n = static_cast<uint64_t>(nodes);
  const uint64_t a = random.below(n);
  const uint64_t b = (a + 1 + random.below(n - 1)) % n;
  return {static_cast<int64_t>(a), static_cast<int64_t>(b)};
}

// Sum of the cosines of all ordered pairs is |sum of unit rows|^2 less the
// pairs of a row with itself.
double mean_cosine(const SpreadTerms& terms) {
  int64_t present = 0;
  for (const double norm : terms.norm) present += norm > 0;
  double square = 0;
  for (const double value : terms.unit_sum) square += value * value;
  const auto nodes = static_cast<int64_t>(terms.norm.size());
  return (square - static_cast<double>(present)) /
         static_cast<double>(nodes * (nodes - 1));
}

}  // namespace

std::vector<double> row_norms(const at::Tensor& rows) {
  const float* const value = rows.data_ptr<float>();
  const int64_t width = rows.size(1);
  return of_rows(rows.size(0), kSpreadRowsPerBlock,
                 [&](int64_t v) { return norm_of(value + v * width, width); });
}

void require_finite(const std::vector<double>& norms) {
  for (size_t v = 0; v < norms.size(); ++v) {
    if (std::isfinite(norms[v])) continue;
    fail(
        "the state of node {} is not finite; the model has diverged, train it "
        "again with a smaller --lr",
        v);
  }
}

std::vector<double> edge_sums(const Graph& graph, const at::Tensor& rows) {
  const Neighbours neighbours(graph.in());
  const float* const value = rows.data_ptr<float>();
  const int64_t width = rows.size(1);
  return of_rows(graph.num_nodes(), kEdgeRowsPerBlock, [&](int64_t v) {
    double part = 0;
    neighbours.for_each(v, [&](int64_t u) {
      part += square_distance(value + u * width, value + v * width, width);
    });
    return part;
  });
}

std::vector<double> square_gaps(const at::Tensor& rows,
                                const std::vector<double>& mean) {
  const float* const value = rows.data_ptr<float>();
  const int64_t width = rows.size(1);
  return of_rows(rows.size(0), kSpreadRowsPerBlock, [&](int64_t v) {
    const float* const row = value + v * width;
    double square = 0;
    for (size_t j = 0; j < mean.size(); ++j) {
      const double gap = row[j] - mean[j];
      square += gap * gap;
    }
    return square;
  });
}

double column_sum(const std::vector<float>& column,
                  const std::function<double(int64_t node)>& weight) {
  return sum_of_blocks(
      static_cast<int64_t>(column.size()), kSpreadRowsPerBlock,
      [&](int64_t v) { return weight(v) * column[static_cast<size_t>(v)]; });
}

std::vector<double> column_sums(
    const at::Tensor& rows, const std::function<double(int64_t node)>& weight) {
  const float* const value = rows.data_ptr<float>();
  const int64_t nodes = rows.size(0), width = rows.size(1);
  const int64_t blocks =
      (nodes + kSpreadRowsPerBlock - 1) / kSpreadRowsPerBlock;
  std::vector<std::vector<double>> sums(static_cast<size_t>(blocks));
  parallel_ranges(nodes, kSpreadRowsPerBlock, [&](int64_t begin, int64_t end) {
    std::vector<double> sum(static_cast<size_t>(width));
    for (int64_t v = begin; v < end; ++v) {
      const double factor = weight(v);
      const float* const row = value + v * width;
      for (size_t j = 0; j < sum.size(); ++j) sum[j] += factor * row[j];
    }
    sums[static_cast<size_t>(begin / kSpreadRowsPerBlock)] = std::move(sum);
  });
  std::vector<double> total(static_cast<size_t>(width));
  for (const std::vector<double>& sum : sums) {
    for (size_t j = 0; j < total.size(); ++j) total[j] += sum[j];
  }
  return total;
}

std::vector<bool> paired_nodes(int64_t nodes) {
  std::vector<bool> is_paired(static_cast<size_t>(nodes),
                              takes_all_pairs(nodes));
  for (int64_t pair = 0; !takes_all_pairs(nodes) && pair < kMostPairs; ++pair) {
    const NodePair one = drawn_pair(pair, nodes);
    is_paired[static_cast<size_t>(one.a)] = true;
    is_paired[static_cast<size_t>(one.b)] = true;
  }
  return is_paired;
}

double mean_pair_distance(
    int64_t nodes, int64_t width,
    const std::function<const float*(int64_t node)>& row) {
  const auto distance = [&](int64_t a, int64_t b) {
    return std::sqrt(square_distance(row(a), row(b), width));
  };
  if (takes_all_pairs(nodes)) {
    const double sum = sum_of_blocks(nodes, 16, [&](int64_t a) {
      double part = 0;
      for (int64_t b = a + 1; b < nodes; ++b) part += distance(a, b);
      return part;
    });
    return 2 * sum / static_cast<double>(nodes * (nodes - 1));
  }
  const double sum =
      sum_of_blocks(kMostPairs, kSpreadRowsPerBlock, [&](int64_t pair) {
        const NodePair one = drawn_pair(pair, nodes);
        return distance(one.a, one.b);
      });
  return sum / static_cast<double>(kMostPairs);
}

LayerSpread spread_of(const SpreadTerms& terms) {
  LayerSpread out{kNoNumber, kNoNumber, kNoNumber, kNoNumber,
                  kNoNumber, kNoNumber, kNoNumber};
  const auto nodes = static_cast<double>(terms.norm.size());
  if (terms.norm.empty()) return out;
  double sum = 0;
  for (const double norm : terms.norm) sum += norm;
  out.mean_norm = sum / nodes;
  if (terms.norm.size() == 1) return out;
  out.mean_distance = terms.mean_distance;
  if (out.mean_norm > 0) {
    out.relative_distance = out.mean_distance / out.mean_norm;
  }
  out.mean_square_distance =
      2 * sum_of(terms.square, kSpreadRowsPerBlock) / (nodes - 1);
  if (terms.edges > 0) {
    out.dirichlet_energy = sum_of(terms.edge_sum, kEdgeRowsPerBlock) /
                           static_cast<double>(terms.edges);
  }
  if (out.mean_square_distance > 0) {
    out.relative_energy = out.dirichlet_energy / out.mean_square_distance;
  }
  out.mean_cosine = mean_cosine(terms);
  return out;
}

}  // namespace ordered_gnn::explain
