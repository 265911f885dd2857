#include "data/formats/ogb/year_classes.h"

#include <algorithm>

#include "data/formats/tensor_of.h"

namespace ordered_gnn::data {

at::Tensor classes_of_years(const std::vector<int64_t>& years,
                            int64_t num_classes) {
  std::vector<int64_t> sorted = years;
  std::sort(sorted.begin(), sorted.end());
  const int64_t last = static_cast<int64_t>(sorted.size()) - 1;
  // Quantile k lies at position k * last / num_classes; times num_classes it
  // is whole.
  std::vector<int64_t> cuts;
  for (int64_t k = 1; k < num_classes; ++k) {
    const int64_t below = k * last / num_classes;
    const int64_t part = k * last % num_classes;
    const int64_t above = std::min(below + 1, last);
    cuts.push_back(sorted[below] * num_classes +
                   (sorted[above] - sorted[below]) * part);
  }
  std::vector<int64_t> classes;
  classes.reserve(years.size());
  for (const int64_t year : years) {
    const auto after =
        std::upper_bound(cuts.begin(), cuts.end(), year * num_classes);
    classes.push_back(after - cuts.begin());
  }
  return tensor_of(classes);
}

}  // namespace ordered_gnn::data
