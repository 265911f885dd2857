#include "data/layout/closest_pairs.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

namespace ordered_gnn::data {
namespace {

struct Point {
  double x, y;
};

// Points in square cells of a side, so that all within that side of a point are
// in the nine cells around it.
class Cells {
 public:
  Cells(const std::vector<Point>& points, double side)
      : points_(points), side_(side), order_(points.size()) {
    std::iota(order_.begin(), order_.end(), int64_t{0});
    std::sort(order_.begin(), order_.end(), [&](int64_t a, int64_t b) {
      const auto of_a = cell(a), of_b = cell(b);
      return of_a != of_b ? of_a < of_b : a < b;
    });
  }

  /// Calls found(u, v, distance) for pairs u < v within `limit`, at most the
  /// side; stops when it says false.
  template <typename Found>
  void visit(double limit, const Found& found) const {
    for (int64_t u = 0; u < static_cast<int64_t>(points_.size()); ++u) {
      if (!visit_around(u, limit, found)) return;
    }
  }

 private:
  using Cell = std::pair<int64_t, int64_t>;  // row, column

  Cell cell(int64_t point) const {
    const Point& at = points_[static_cast<size_t>(point)];
    return {static_cast<int64_t>(std::floor(at.y / side_)),
            static_cast<int64_t>(std::floor(at.x / side_))};
  }

  template <typename Found>
  bool visit_around(int64_t u, double limit, const Found& found) const {
    const Point& from = points_[static_cast<size_t>(u)];
    const Cell own = cell(u);
    for (int64_t row = own.first - 1; row <= own.first + 1; ++row) {
      const Cell first{row, own.second - 1}, last{row, own.second + 1};
      auto next = std::lower_bound(order_.begin(), order_.end(), first,
                                   [&](int64_t point, const Cell& wanted) {
                                     return cell(point) < wanted;
                                   });
      for (; next != order_.end() && cell(*next) <= last; ++next) {
        if (*next <= u) continue;
        const Point& to = points_[static_cast<size_t>(*next)];
        const double distance = std::hypot(to.x - from.x, to.y - from.y);
        if (distance <= limit && !found(u, *next, distance)) return false;
      }
    }
    return true;
  }

  const std::vector<Point>& points_;
  const double side_;
  std::vector<int64_t> order_;
};

// From 0 on, and the larger extent at most 1, so that cells have small numbers.
std::vector<Point> unit_points(const at::Tensor& places) {
  const at::Tensor lowest = std::get<0>(places.min(0));
  const at::Tensor moved = places - lowest;
  const double extent = moved.max().item<double>();
  const at::Tensor unit = (extent > 0 ? moved / extent : moved).contiguous();
  const double* const value = unit.data_ptr<double>();
  std::vector<Point> points;
  for (int64_t v = 0; v < places.size(0); ++v) {
    points.push_back({value[2 * v], value[2 * v + 1]});
  }
  return points;
}

// Cells must not be so small that their numbers overflow.
constexpr double kLeastSide = 1e-6;

bool has_pairs(const std::vector<Point>& points, double limit, int64_t count) {
  int64_t seen = 0;
  Cells(points, std::max(limit, kLeastSide))
      .visit(limit, [&](int64_t, int64_t, double) { return ++seen < count; });
  return seen >= count;
}

// Distances that fewer than `count` pairs and at least `count` pairs are
// within.
std::pair<double, double> limits_for(const std::vector<Point>& points,
                                     int64_t count) {
  constexpr int kHalvings = 40;
  if (has_pairs(points, 0, count)) return {-1, 0};
  double low = 0, high = 2;
  for (int i = 0; i < kHalvings; ++i) {
    const double middle = (low + high) / 2;
    (has_pairs(points, middle, count) ? high : low) = middle;
  }
  return {low, high};
}

}  // namespace

at::Tensor closest_pairs(const at::Tensor& places, int64_t count) {
  const int64_t num_points = places.size(0);
  const int64_t all = num_points * (num_points - 1) / 2;
  const int64_t wanted = std::clamp<int64_t>(count, 0, all);
  const at::Tensor pairs = at::empty({2, wanted}, at::kLong);
  if (wanted == 0) return pairs;
  const std::vector<Point> points = unit_points(places);
  const auto [low, high] = limits_for(points, wanted);
  std::vector<std::pair<int64_t, int64_t>> near, at_limit;
  const auto room = [&] { return wanted - static_cast<int64_t>(near.size()); };
  Cells(points, std::max(high, kLeastSide))
      .visit(high, [&, low = low](int64_t u, int64_t v, double distance) {
        auto& list = distance <= low ? near : at_limit;
        // Those behind the last place would only take memory.
        const bool is_full = static_cast<int64_t>(at_limit.size()) >= wanted;
        if (&list == &near || !is_full) list.emplace_back(u, v);
        // Nothing is nearer than points at one place.
        return low >= 0 || !is_full;
      });
  near.insert(near.end(), at_limit.begin(), at_limit.begin() + room());
  std::sort(near.begin(), near.end());
  int64_t* const first = pairs.data_ptr<int64_t>();
  for (int64_t i = 0; i < wanted; ++i) {
    first[i] = near[static_cast<size_t>(i)].first;
    first[wanted + i] = near[static_cast<size_t>(i)].second;
  }
  return pairs;
}

}  // namespace ordered_gnn::data
