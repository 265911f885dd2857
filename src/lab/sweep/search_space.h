#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// Most settings that a search may list.
inline constexpr int64_t kMostSettings = 100000;

/// Option names with values, in the order of the dimensions of their space.
using Setting = std::vector<std::pair<std::string, Json>>;

Json to_json(const Setting& setting);

/// Numbers between two bounds, which are included.
struct SearchRange {
  double min = 0;
  double max = 0;
  bool logarithmic = false;
  bool integer = false;
};

/// Options that are set together: one, or several that are tuned as one.
struct SearchDimension {
  std::vector<std::string> names;
  /// One value per name in each; empty: `range` says which values there are.
  std::vector<std::vector<Json>> choices;
  SearchRange range;
};

/// What a search may choose from.
///
/// It is written as a JSON object. A key is an option name, or several joined
/// by "+", which take their values together:
///
///     "lr": [0.01, 0.005],                              a list
///     "layers": {"min": 2, "max": 8, "step": 2},        the list 2, 4, 6, 8
///     "l2-xi": {"min": 1e-8, "max": 0.1, "scale": "log"},   a range
///     "dropout-theta+dropout-xi": [[0, 0], [0.1, 0.2]]      two at a time
///
/// Dimensions are ordered by their keys. Keys that start with "//" are
/// comments.
class SearchSpace {
 public:
  SearchSpace() = default;

  /// @throws UsageError naming the key for an unknown option (with the nearest
  ///         known one), an option that cannot be searched, a value that does
  ///         not fit, an empty list, a value given twice, an option in two
  ///         dimensions, or bounds that are no bounds.
  /// @param key  what errors call the object.
  explicit SearchSpace(const Json& search, const std::string& key = "search");

  const std::vector<SearchDimension>& dimensions() const { return dimensions_; }

  /// Names of all options in the space, in order.
  std::vector<std::string> names() const;

  /// Number of settings; infinite when a dimension is a range without step.
  double size() const;

  /// Every setting, the last dimension varying fastest.
  /// @throws UsageError when there are more than kMostSettings, or infinitely
  ///         many (naming the range).
  std::vector<Setting> grid() const;

  /// Settings drawn at random, no two alike. The i-th depends on the seed and
  /// on i alone. Fewer than `count` when there are no more.
  std::vector<Setting> sample(uint64_t seed, int64_t count) const;

  /// The same around settings that are known to be good: the i-th takes one of
  /// them in turn and draws about half of its dimensions anew.
  /// @param around  settings of this space, at least one. None of them is drawn
  ///                again.
  std::vector<Setting> sample_around(const std::vector<Setting>& around,
                                     uint64_t seed, int64_t count) const;

  /// The object that was parsed, steps written out as lists.
  Json json() const;

 private:
  Setting at(uint64_t index) const;
  Setting draw(uint64_t seed, uint64_t number) const;
  std::vector<Setting> sample_of_finite(uint64_t seed, uint64_t count) const;

  std::vector<SearchDimension> dimensions_;
};

}  // namespace ordered_gnn::lab
