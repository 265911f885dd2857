#pragma once
#include <cstdint>
#include <vector>

namespace ordered_gnn::lab {

/// What is said of several scores.
struct Statistics {
  int64_t count = 0;
  double mean = 0;  ///< NaN without values
  double deviation =
      0;  ///< of a sample (divided by count - 1); 0 for one value
  double standard_error = 0;  ///< deviation / sqrt(count); NaN below two values
};

Statistics describe(const std::vector<double>& values);

/// The difference of two systems over the same splits and seeds, pair by pair:
/// what splits have in common, easy ones and hard ones, cancels.
struct PairedComparison {
  Statistics difference;  ///< see compare_runs()
  double t = 0;           ///< mean / standard error
  /// Probability of a |t| at least as large if there were no difference, by
  /// Student's distribution with count - 1 degrees of freedom. Splits share
  /// nodes, so it is smaller than it should be.
  double p_value = 1;
  /// Whether the mean difference is within two standard errors of 0: no claim
  /// should rest on it. True below two pairs.
  bool inside_noise = true;
};

/// The score of one run.
struct RunScore {
  int64_t split = 0;
  int64_t seed = 0;
  double score = 0;
};

/// The scores that count as separate ones. Seeds repeat a split, so runs are
/// averaged within their split first: one score for every split, in rising
/// order. Where all runs are of one split, one for every seed.
std::vector<double> separate_scores(const std::vector<RunScore>& runs);

/// Of separate_scores(): `count` is the number of splits, or of seeds where
/// there is one split.
Statistics describe_runs(const std::vector<RunScore>& runs);

/// The differences a - b of the runs of the same split and seed that both have,
/// averaged as by separate_scores(): seeds within a split, then over splits. Of
/// several runs of b with one split and seed the last counts.
PairedComparison compare_runs(const std::vector<RunScore>& a,
                              const std::vector<RunScore>& b);

/// Probabilities of several comparisons corrected by Holm's method, in the
/// order given: the chance of a single false alarm among all of them stays
/// below the level they are judged by. Not below the plain values, not above 1;
/// NaN counts as 1.
std::vector<double> holm_adjusted(const std::vector<double>& p_values);

/// P(|T| >= |t|) for Student's T with `degrees` degrees of freedom.
/// @param degrees  at least 1.
double student_two_sided(double t, int64_t degrees);

}  // namespace ordered_gnn::lab
