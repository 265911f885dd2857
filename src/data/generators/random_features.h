#pragma once
#include <cstdint>
#include <vector>

#include "ordered_gnn/core/features.h"

namespace ordered_gnn::data {

struct RandomFeatureOptions {
  int64_t features = 0;
  double signal = 1;
  double density = 1;  ///< of sparse features
  uint64_t seed = 0;
};

/// Dense rows: the mean of the node's class plus standard normal noise. The
/// means are `signal` apart: orthogonal directions of length signal / sqrt(2)
/// while there are enough dimensions, random ones beyond. Any of them can be
/// drawn without the others.
class GaussianRows {
 public:
  /// Runs of rows begin at multiples of this.
  static constexpr int64_t kBlock = 1024;

  /// @param classes  of all nodes; must outlive it.
  GaussianRows(const std::vector<int64_t>& classes, int64_t num_classes,
               const RandomFeatureOptions& options);

  /// Rows of nodes [begin, end), [end - begin, F] float32.
  at::Tensor draw(int64_t begin, int64_t end) const;

 private:
  const std::vector<int64_t>& classes_;
  const RandomFeatureOptions options_;
  const std::vector<double> means_;
};

/// All rows of GaussianRows.
NodeFeatures gaussian_features(const std::vector<int64_t>& classes,
                               int64_t num_classes,
                               const RandomFeatureOptions& options);

/// Sparse 0/1 rows of max(1, density * features) words, a few less where that
/// many are hard to draw. A word comes from the class's own part of the words
/// with probability signal / (signal + 2), else from all words.
NodeFeatures word_features(const std::vector<int64_t>& classes,
                           int64_t num_classes,
                           const RandomFeatureOptions& options);

}  // namespace ordered_gnn::data
