#include "data/generators/random_features.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "data/generators/random_streams.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kBlockNodes = GaussianRows::kBlock;

// Gram-Schmidt on Gaussian directions; row c of the result is the mean of
// class c.
std::vector<double> class_means(int64_t num_classes,
                                const RandomFeatureOptions& options) {
  const int64_t dim = options.features;
  std::vector<double> means(num_classes * dim);
  RandomStream random = stream_for(options.seed, Draw::class_means);
  const double length = options.signal / std::sqrt(2.0);
  for (int64_t c = 0; c < num_classes; ++c) {
    double* const row = means.data() + c * dim;
    std::generate(row, row + dim, [&] { return random.normal(); });
    const int64_t num_before = c < dim ? c : 0;
    for (int64_t b = 0; b < num_before; ++b) {
      const double* const before = means.data() + b * dim;
      const double overlap = std::inner_product(row, row + dim, before, 0.0);
      for (int64_t f = 0; f < dim; ++f) row[f] -= overlap * before[f];
    }
    const double norm = std::sqrt(std::inner_product(row, row + dim, row, 0.0));
    for (int64_t f = 0; f < dim; ++f) row[f] /= norm;
  }
  for (double& mean : means) mean *= length;
  return means;
}

struct WordRange {
  int64_t begin;
  int64_t size;
};

WordRange words_of_class(int64_t c, int64_t num_classes, int64_t num_words) {
  if (num_words < num_classes) return {c % num_words, 1};
  const int64_t begin = c * num_words / num_classes;
  return {begin, (c + 1) * num_words / num_classes - begin};
}

struct WordDraw {
  WordRange own;
  double own_share;
  int64_t num_draws;
  int64_t num_words;
};

// Rising words of one node; repeats are drawn again a few times, so that
// nearly every row has the asked number of them.
std::vector<int32_t> draw_words(const WordDraw& draw, RandomStream& random) {
  constexpr int kRounds = 8;
  const size_t wanted = static_cast<size_t>(draw.num_draws);
  std::vector<int32_t> words;
  for (int round = 0; round < kRounds && words.size() < wanted; ++round) {
    for (size_t i = words.size(); i < wanted; ++i) {
      const bool from_own = random.uniform() < draw.own_share;
      const int64_t begin = from_own ? draw.own.begin : 0;
      const int64_t size = from_own ? draw.own.size : draw.num_words;
      const uint64_t word = random.below(static_cast<uint64_t>(size));
      words.push_back(static_cast<int32_t>(begin + static_cast<int64_t>(word)));
    }
    std::sort(words.begin(), words.end());
    words.erase(std::unique(words.begin(), words.end()), words.end());
  }
  return words;
}

}  // namespace

GaussianRows::GaussianRows(const std::vector<int64_t>& classes,
                           int64_t num_classes,
                           const RandomFeatureOptions& options)
    : classes_(classes),
      options_(options),
      means_(class_means(num_classes, options)) {}

at::Tensor GaussianRows::draw(int64_t begin, int64_t end) const {
  TORCH_CHECK(begin % kBlock == 0, "rows are drawn in blocks of ", kBlock);
  const int64_t dim = options_.features;
  at::Tensor values = at::empty({end - begin, dim}, at::kFloat);
  float* const out = values.data_ptr<float>();
  parallel_ranges(end - begin, kBlock, [&](int64_t from, int64_t to) {
    RandomStream random =
        stream_for(options_.seed, Draw::features, (begin + from) / kBlock);
    for (int64_t r = from; r < to; ++r) {
      const double* const mean = means_.data() + classes_[begin + r] * dim;
      float* const row = out + r * dim;
      for (int64_t f = 0; f < dim; ++f) {
        row[f] = static_cast<float>(mean[f] + random.normal());
      }
    }
  });
  return values;
}

NodeFeatures gaussian_features(const std::vector<int64_t>& classes,
                               int64_t num_classes,
                               const RandomFeatureOptions& options) {
  const GaussianRows rows(classes, num_classes, options);
  return NodeFeatures::dense(
      rows.draw(0, static_cast<int64_t>(classes.size())));
}

NodeFeatures word_features(const std::vector<int64_t>& classes,
                           int64_t num_classes,
                           const RandomFeatureOptions& options) {
  const int64_t num_nodes = static_cast<int64_t>(classes.size());
  const int64_t num_words = options.features;
  const int64_t num_draws = std::max<int64_t>(
      1, std::llround(options.density * static_cast<double>(num_words)));
  const double own_share = options.signal / (options.signal + 2);
  std::vector<std::vector<int32_t>> rows(num_nodes);
  parallel_ranges(num_nodes, kBlockNodes, [&](int64_t begin, int64_t end) {
    RandomStream random =
        stream_for(options.seed, Draw::features, begin / kBlockNodes);
    for (int64_t v = begin; v < end; ++v) {
      const WordRange own = words_of_class(classes[v], num_classes, num_words);
      rows[v] = draw_words({own, own_share, num_draws, num_words}, random);
    }
  });
  SparseRows sparse;
  sparse.rowptr = at::empty({num_nodes + 1}, at::kLong);
  int64_t* const rowptr = sparse.rowptr.data_ptr<int64_t>();
  rowptr[0] = 0;
  for (int64_t v = 0; v < num_nodes; ++v) {
    rowptr[v + 1] = rowptr[v] + static_cast<int64_t>(rows[v].size());
  }
  sparse.col = at::empty({rowptr[num_nodes]}, at::kInt);
  sparse.value = at::ones({rowptr[num_nodes]}, at::kFloat);
  for (int64_t v = 0; v < num_nodes; ++v) {
    std::copy(rows[v].begin(), rows[v].end(),
              sparse.col.data_ptr<int32_t>() + rowptr[v]);
  }
  return NodeFeatures::sparse(std::move(sparse), num_words);
}

}  // namespace ordered_gnn::data
