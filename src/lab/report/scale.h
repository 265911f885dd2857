#pragma once
#include <limits>
#include <string>
#include <vector>

#include "lab/report/plots.h"

namespace ordered_gnn::lab {

/// Whether an axis can show a value: finite, not beyond 1e100 where differences
/// overflow, and above 0 on a logarithmic scale.
bool is_shown(double value, AxisScale scale);

/// Smallest and largest of the values that can be shown.
struct ValueRange {
  AxisScale scale = AxisScale::linear;
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value);
  /// value - error and value + error; the value alone without an error.
  void add(double value, double error);
  bool empty() const { return low > high; }
};

struct Tick {
  double value = 0;
  std::string label;
};

/// What to do at the ends of an axis that were not given.
enum class AxisMargin {
  to_ticks,  ///< reach to the next tick
  small,     ///< leave a little room, so that marks stay clear of the frame
};

/// Turns values into pixels and knows its ticks. Made in two steps: ticks are
/// known before there are pixels, because the room for their labels decides
/// where the plot begins.
class Scale {
 public:
  /// @throws Error for a range that is empty or not on the scale.
  Scale(const PlotAxis& axis, const ValueRange& values, AxisMargin margin,
        int most_ticks);

  void place(double first_pixel, double last_pixel);

  bool contains(double value) const;
  /// The pixel of a value; beyond the ends for a value beyond the range.
  double at(double value) const;
  /// The pixel of a value, or that of the nearer end.
  double clamped(double value) const;

  const std::vector<Tick>& ticks() const { return ticks_; }
  double low() const;
  double high() const;

 private:
  double transformed(double value) const;
  double restored(double value) const;
  void widen(const PlotAxis& axis);
  void set_linear_ticks(bool open_low, bool open_high, double step);
  void set_log_ticks(int most_ticks);

  AxisScale scale_;
  double low_ = 0, high_ = 1;  // transformed
  double first_ = 0, last_ = 1;
  std::vector<Tick> ticks_;
};

/// The smallest of 1, 2, 2.5, 5 times a power of ten that is at least `step`.
double nice_step(double step);

/// A value for a tooltip: five digits at most.
std::string short_number(double value);

}  // namespace ordered_gnn::lab
