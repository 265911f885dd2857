#include "lab/report/scale.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr double kLargest = 1e100;
constexpr double kSmallest = 1e-100;
// Below this share of the values a difference is rounding.
constexpr double kRelativeNoise = 1e-12;
constexpr double kMarginShare = 0.04;

// A minus as wide as a plus.
std::string with_minus_sign(const std::string& number) {
  return number.front() == '-' ? "−" + number.substr(1) : number;
}

std::string tick_label(double value, double step, double largest) {
  if (largest >= 1e6 || step < 1e-4) {
    const double digits = std::ceil(std::log10(largest / step)) + 1;
    return with_minus_sign(fmt::format(
        "{:.{}g}", value, static_cast<int>(std::clamp(digits, 1.0, 15.0))));
  }
  int digits = 0;
  // 2.5 has one digit more than its power of ten says.
  for (double unit = step; digits < 6; ++digits, unit *= 10) {
    if (std::fabs(unit - std::round(unit)) < 1e-6 * unit) break;
  }
  return with_minus_sign(fmt::format("{:.{}f}", value, digits));
}

std::string power_label(double value, double exponent, AxisScale scale) {
  if (value > 0.99e-4 && value < 1e6) return fmt::format("{:.6g}", value);
  const std::string power = with_minus_sign(fmt::format("{:g}", exponent));
  if (scale == AxisScale::log10) return "1e" + power;
  return fmt::format("2^{}", power);
}

// How far an axis reaches to both sides of a single value.
double room_around(double value) {
  const double room = std::fabs(value) / 20;
  return room > kSmallest ? room : 1;
}

}  // namespace

bool is_shown(double value, AxisScale scale) {
  if (!(std::fabs(value) <= kLargest)) return false;
  return scale == AxisScale::linear || value >= kSmallest;
}

void ValueRange::add(double value) {
  if (!is_shown(value, scale)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void ValueRange::add(double value, double error) {
  add(value);
  if (!is_shown(value, scale) || !is_shown(error, AxisScale::linear)) return;
  add(value - error);
  add(value + error);
}

double nice_step(double step) {
  const double unit = std::pow(10, std::floor(std::log10(step)));
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * unit >= step * (1 - 1e-9)) return factor * unit;
  }
  return 10 * unit;
}

std::string short_number(double value) { return fmt::format("{:.5g}", value); }

Scale::Scale(const PlotAxis& axis, const ValueRange& values, AxisMargin margin,
             int most_ticks)
    : scale_(axis.scale) {
  const bool open_low = std::isnan(axis.min), open_high = std::isnan(axis.max);
  for (const double end : {axis.min, axis.max}) {
    if (!std::isnan(end) && !is_shown(end, scale_)) {
      fail("an axis cannot end at {}{}", end,
           scale_ == AxisScale::linear ? "" : " on a logarithmic scale");
    }
  }
  if (!open_low && !open_high && axis.min >= axis.max) {
    fail("an axis cannot reach from {} to {}", axis.min, axis.max);
  }
  const bool none = values.empty();
  const double low = none ? (scale_ == AxisScale::linear ? 0 : 1) : values.low;
  const double high =
      none ? (scale_ == AxisScale::linear ? 1 : 16) : values.high;
  low_ = transformed(open_low ? low : axis.min);
  high_ = transformed(open_high ? high : axis.max);
  widen(axis);
  if (margin == AxisMargin::small || scale_ != AxisScale::linear) {
    const double room = kMarginShare * (high_ - low_);
    if (open_low) low_ -= room;
    if (open_high) high_ += room;
  }
  const bool to_ticks = margin == AxisMargin::to_ticks;
  if (scale_ == AxisScale::linear) {
    double step = nice_step((high_ - low_) / std::max(most_ticks, 1));
    if (axis.whole) step = std::ceil(std::max(step, 1.0));
    set_linear_ticks(open_low && to_ticks, open_high && to_ticks, step);
  } else {
    set_log_ticks(most_ticks);
  }
}

// An axis has a length also where the values, or a given end, leave none.
void Scale::widen(const PlotAxis& axis) {
  const double size = std::max(std::fabs(low_), std::fabs(high_));
  const bool linear = scale_ == AxisScale::linear;
  const double least =
      linear ? std::max(size * kRelativeNoise, kSmallest) : 1e-6;
  if (high_ - low_ > least) return;
  const bool open_low = std::isnan(axis.min), open_high = std::isnan(axis.max);
  if (!open_low && !open_high) {
    fail("the ends of an axis are too close: {} and {}", axis.min, axis.max);
  }
  const double middle = !open_low ? low_ : high_;
  const double room = linear ? room_around(middle) : 1;
  low_ = open_low ? middle - room : middle;
  high_ = open_high ? middle + room : middle;
}

void Scale::set_linear_ticks(bool open_low, bool open_high, double step) {
  if (open_low) low_ = std::floor(low_ / step + 1e-9) * step;
  if (open_high) high_ = std::ceil(high_ / step - 1e-9) * step;
  const double largest = std::max(std::fabs(low_), std::fabs(high_));
  const double first = std::ceil(low_ / step - 1e-9);
  const double last = std::floor(high_ / step + 1e-9);
  for (double i = first; i <= last; ++i) {
    const double value = i * step + 0.0;  // not -0
    ticks_.push_back({value, tick_label(value, step, largest)});
  }
}

void Scale::set_log_ticks(int most_ticks) {
  const double first = std::ceil(low_ - 1e-9), last = std::floor(high_ + 1e-9);
  const double stride =
      std::max(1.0, std::ceil((last - first + 1) / std::max(most_ticks, 1)));
  for (double i = first; i <= last; i += stride) {
    ticks_.push_back({restored(i), power_label(restored(i), i, scale_)});
  }
  if (ticks_.size() > 1) return;
  // Less than two powers: read like a linear axis.
  const double low = restored(low_), high = restored(high_);
  PlotAxis plain;
  plain.min = low;
  plain.max = high;
  ticks_ = Scale(plain, {}, AxisMargin::small, most_ticks).ticks();
  const auto below_zero = [](const Tick& tick) { return tick.value <= 0; };
  ticks_.erase(std::remove_if(ticks_.begin(), ticks_.end(), below_zero),
               ticks_.end());
}

void Scale::place(double first_pixel, double last_pixel) {
  first_ = first_pixel;
  last_ = last_pixel;
}

double Scale::transformed(double value) const {
  if (scale_ == AxisScale::linear) return value;
  return scale_ == AxisScale::log2 ? std::log2(value) : std::log10(value);
}

double Scale::restored(double value) const {
  if (scale_ == AxisScale::linear) return value;
  return std::pow(scale_ == AxisScale::log2 ? 2.0 : 10.0, value);
}

double Scale::low() const { return restored(low_); }

double Scale::high() const { return restored(high_); }

bool Scale::contains(double value) const {
  if (!is_shown(value, scale_)) return false;
  const double place = (transformed(value) - low_) / (high_ - low_);
  return place >= -1e-9 && place <= 1 + 1e-9;
}

double Scale::at(double value) const {
  const double share = (transformed(value) - low_) / (high_ - low_);
  return first_ + share * (last_ - first_);
}

double Scale::clamped(double value) const {
  const double share = (transformed(value) - low_) / (high_ - low_);
  return first_ + std::clamp(share, 0.0, 1.0) * (last_ - first_);
}

}  // namespace ordered_gnn::lab
