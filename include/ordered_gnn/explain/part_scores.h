#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace ordered_gnn {

/// One class among the labelled nodes of a part. Ratios of nothing are NaN.
struct ClassScores {
  int64_t support = 0;    ///< nodes of the class
  int64_t predicted = 0;  ///< nodes predicted as it
  int64_t hits = 0;       ///< both
  double precision = 0;   ///< hits / predicted
  double recall = 0;      ///< hits / support
  double f1 = 0;          ///< 2 hits / (support + predicted)
};

/// Nodes whose confidence, the probability of the predicted class, is in
/// (low, high]; 0 belongs to the first bin. Means of no nodes are NaN.
struct CalibrationBin {
  double low = 0;
  double high = 0;
  int64_t nodes = 0;
  double confidence = 0;  ///< mean
  double accuracy = 0;
};

/// Where predictions of one part of the nodes are right and wrong. Unlabelled
/// nodes are counted in `nodes` only; scores of no labelled node are NaN.
struct PartScores {
  std::string name;  ///< "train", "val", "test" or "all"
  int64_t nodes = 0;
  int64_t labelled = 0;
  double accuracy = 0;
  double macro_f1 = 0;  ///< mean F1 of the classes that occur, see metrics.h
  double mean_confidence = 0;        ///< of the labelled nodes
  std::vector<ClassScores> classes;  ///< C of them
  /// C rows of C counts: nodes of class r predicted as class c at [r C + c].
  /// Empty for more than kMostConfusionClasses classes.
  std::vector<int64_t> confusion;
  std::vector<CalibrationBin> calibration;  ///< bins of equal width over [0, 1]
  /// Expected calibration error: sum over bins of
  /// nodes / labelled * |accuracy - confidence|.
  double calibration_error = 0;
};

constexpr int64_t kMostConfusionClasses = 1000;
constexpr int64_t kCalibrationBins = 15;

/// Scores of `nodes`.
/// @param labels, predicted, confidence  of all nodes; label -1 = unlabelled.
/// @throws Error naming the node when a node, label or prediction is out of
///         range or a confidence is not in [0, 1].
PartScores score_part(const std::string& name,
                      const std::vector<int64_t>& nodes,
                      const std::vector<int64_t>& labels,
                      const std::vector<int64_t>& predicted,
                      const std::vector<float>& confidence,
                      int64_t num_classes);

}  // namespace ordered_gnn
