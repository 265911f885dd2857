#include "ordered_gnn/explain/part_scores.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/metrics.h"

namespace ordered_gnn {
namespace {

double ratio(double part, double whole) {
  return whole == 0 ? std::numeric_limits<double>::quiet_NaN() : part / whole;
}

double ratio(int64_t part, int64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

// What one labelled node adds to the scores.
struct Judged {
  int64_t label;
  int64_t predicted;
  double confidence;
};

int64_t calibration_bin(double confidence) {
  const auto bins = static_cast<double>(kCalibrationBins);
  const auto bin = static_cast<int64_t>(std::ceil(confidence * bins)) - 1;
  return std::clamp<int64_t>(bin, 0, kCalibrationBins - 1);
}

std::vector<CalibrationBin> empty_bins() {
  std::vector<CalibrationBin> bins(static_cast<size_t>(kCalibrationBins));
  const auto count = static_cast<double>(kCalibrationBins);
  for (size_t i = 0; i < bins.size(); ++i) {
    bins[i].low = static_cast<double>(i) / count;
    bins[i].high = static_cast<double>(i + 1) / count;
  }
  return bins;
}

void count_node(const Judged& node, int64_t num_classes, PartScores& part) {
  const bool hit = node.label == node.predicted;
  ++part.labelled;
  part.mean_confidence += node.confidence;
  ++part.classes[static_cast<size_t>(node.label)].support;
  ClassScores& guessed = part.classes[static_cast<size_t>(node.predicted)];
  ++guessed.predicted;
  guessed.hits += hit;
  if (!part.confusion.empty()) {
    ++part.confusion[static_cast<size_t>(node.label * num_classes +
                                         node.predicted)];
  }
  CalibrationBin& bin =
      part.calibration[static_cast<size_t>(calibration_bin(node.confidence))];
  ++bin.nodes;
  bin.confidence += node.confidence;
  bin.accuracy += hit;
}

// Sums become means.
void finish_calibration(PartScores& part) {
  for (CalibrationBin& bin : part.calibration) {
    const auto nodes = static_cast<double>(bin.nodes);
    bin.confidence = ratio(bin.confidence, nodes);
    bin.accuracy = ratio(bin.accuracy, nodes);
    if (bin.nodes == 0) continue;
    part.calibration_error += nodes * std::fabs(bin.accuracy - bin.confidence);
  }
  const auto labelled = static_cast<double>(part.labelled);
  part.calibration_error = ratio(part.calibration_error, labelled);
  part.mean_confidence = ratio(part.mean_confidence, labelled);
}

void finish_classes(PartScores& part) {
  std::vector<int64_t> hits, guessed, present;
  for (ClassScores& scores : part.classes) {
    scores.precision = ratio(scores.hits, scores.predicted);
    scores.recall = ratio(scores.hits, scores.support);
    scores.f1 = ratio(2 * scores.hits, scores.support + scores.predicted);
    hits.push_back(scores.hits);
    guessed.push_back(scores.predicted);
    present.push_back(scores.support);
  }
  const Scores scores =
      score_counts({hits.data(), guessed.data(), present.data(),
                    static_cast<int64_t>(part.classes.size())});
  part.accuracy = scores.accuracy;
  part.macro_f1 = scores.macro_f1;
}

void check_node(int64_t node, size_t num_nodes) {
  if (node >= 0 && static_cast<size_t>(node) < num_nodes) return;
  fail("there is no node {} among {}", node, num_nodes);
}

void check_judged(int64_t node, const Judged& judged, int64_t num_classes) {
  const auto in_range = [&](int64_t value, int64_t low) {
    return value >= low && value < num_classes;
  };
  if (!in_range(judged.label, -1) || !in_range(judged.predicted, 0)) {
    fail("node {} has label {} and prediction {}, not classes below {}", node,
         judged.label, judged.predicted, num_classes);
  }
  if (!(judged.confidence >= 0 && judged.confidence <= 1)) {
    fail("the confidence of node {} is {}, not in [0, 1]", node,
         judged.confidence);
  }
}

}  // namespace

PartScores score_part(const std::string& name,
                      const std::vector<int64_t>& nodes,
                      const std::vector<int64_t>& labels,
                      const std::vector<int64_t>& predicted,
                      const std::vector<float>& confidence,
                      int64_t num_classes) {
  if (predicted.size() != labels.size() || confidence.size() != labels.size()) {
    fail("{} labels, {} predictions and {} confidences are not of one graph",
         labels.size(), predicted.size(), confidence.size());
  }
  PartScores part;
  part.name = name;
  part.nodes = static_cast<int64_t>(nodes.size());
  part.classes.resize(static_cast<size_t>(num_classes));
  if (num_classes <= kMostConfusionClasses) {
    part.confusion.resize(static_cast<size_t>(num_classes * num_classes));
  }
  part.calibration = empty_bins();
  for (const int64_t node : nodes) {
    check_node(node, labels.size());
    const auto v = static_cast<size_t>(node);
    const Judged judged{labels[v], predicted[v], confidence[v]};
    check_judged(node, judged, num_classes);
    if (judged.label >= 0) count_node(judged, num_classes, part);
  }
  finish_classes(part);
  finish_calibration(part);
  return part;
}

}  // namespace ordered_gnn
