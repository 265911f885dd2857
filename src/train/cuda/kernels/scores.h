#pragma once
#include <cuda_runtime_api.h>

#include <cstdint>

namespace ordered_gnn::cuda {

/// Parts of a split: train, val, test.
constexpr int kParts = 3;

/// Numbers of `counts`: hits and guesses of every class of every part.
constexpr __host__ __device__ int64_t score_counts(int64_t classes) {
  return kParts * 2 * classes;
}

/// What accuracy and macro F1 of the three parts are computed from. The class
/// predicted for a node is the first of its largest logits; a NaN counts as
/// larger than any number, as in at::argmax.
template <typename T>
struct ScoreCounts {
  const T* logits = nullptr;        // [rows, classes], classes at least 1
  const int64_t* nodes = nullptr;   // labelled ones: train, then val, then test
  const int64_t* labels = nullptr;  // theirs, 0 .. classes - 1
  /// Where the parts end in `nodes`: train is 0 .. ends[0], val
  /// ends[0] .. ends[1], test ends[1] .. ends[2]. Parts may be empty.
  int64_t ends[kParts] = {0, 0, 0};
  int classes = 0;
  /// [3][2][classes], added to: for part p and class c, [p][0][c] nodes of
  /// label c that were predicted c, and [p][1][c] nodes predicted c.
  int64_t* counts = nullptr;
};

template <typename T>
cudaError_t launch_score_counts(const ScoreCounts<T>& job, cudaStream_t stream);

/// Numbers of `pairs`, see PairCounts.
constexpr int64_t kPairCounts = kParts * 2;

/// What ROC-AUC of two classes is computed from: every node of class 1 against
/// every node of class 0 of its part, by the score logit 1 - logit 0.
template <typename T>
struct PairCounts {
  const T* logits = nullptr;       // [rows, 2]
  const int64_t* nodes = nullptr;  // as ScoreCounts, class 0 first in each part
  int64_t ends[kParts] = {0, 0, 0};
  /// Where the nodes of class 1 of a part begin.
  int64_t positives[kParts] = {0, 0, 0};
  /// [3][2], added to: [p][0] pairs of part p that are ordered rightly, twice,
  /// and those with equal scores, once; [p][1] nodes whose score is a NaN, each
  /// counted at least once where there are pairs.
  int64_t* pairs = nullptr;
};

template <typename T>
cudaError_t launch_pair_counts(const PairCounts<T>& job, cudaStream_t stream);

}  // namespace ordered_gnn::cuda
