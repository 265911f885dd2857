#include "data/formats/geom_gcn/features.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/io/text/text.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::data {
namespace {

constexpr std::string_view kAmountKey = "feature_amount:";

int64_t announced_amount(std::string_view header, const SourceLine& place) {
  const size_t key = header.find(kAmountKey);
  if (key == std::string_view::npos) return -1;
  const size_t begin = key + kAmountKey.size();
  const size_t end = header.find_first_not_of("0123456789", begin);
  const int64_t amount = core::parse_integer(header.substr(begin, end - begin),
                                             "feature_amount", place);
  if (amount > kMaxFeatures) {
    fail_at(place, fmt::format("expected a feature_amount of at most {}, got "
                               "{}",
                               kMaxFeatures, amount));
  }
  return amount;
}

float parse_feature(std::string_view field, const SourceLine& place) {
  const float value =
      static_cast<float>(core::parse_number(field, "feature value", place));
  if (!std::isfinite(value)) {
    fail_at(place,
            fmt::format("feature value '{}' does not fit 32 bits", field));
  }
  return value;
}

}  // namespace

GeomGcnFeatures::GeomGcnFeatures(std::string_view header,
                                 SourceLine header_place)
    : announced_(announced_amount(header, header_place)) {
  width_ = std::max<int64_t>(announced_, 0);
}

GeomGcnFeatures::Form GeomGcnFeatures::form_of_first_row(
    std::string_view field) const {
  if (announced_ < 0) return Form::values;
  const std::vector<std::string_view> parts = core::split_fields(field, ',');
  const bool all_bits = std::all_of(
      parts.begin(), parts.end(),
      [](std::string_view part) { return part == "0" || part == "1"; });
  const bool is_vector = announced_ > 2 && all_bits &&
                         static_cast<int64_t>(parts.size()) == announced_;
  return is_vector ? Form::values : Form::indices;
}

void GeomGcnFeatures::add_row(std::string_view field, const SourceLine& place) {
  if (form_ == Form::unknown) {
    form_ = form_of_first_row(field);
    first_line_ = place.line;
    if (form_ == Form::values) {
      width_ = 1 + std::count(field.begin(), field.end(), ',');
    }
  }
  if (form_ == Form::values) {
    add_values(field, place);
  } else {
    add_indices(field, place);
  }
  rows_.end_row();
}

void GeomGcnFeatures::add_values(std::string_view field,
                                 const SourceLine& place) {
  constexpr std::string_view kFourZeros = "0,0,0,0,";
  const char* at = field.data();
  const char* const end = at + field.size();
  int64_t column = 0;
  for (;; ++column) {
    // Nearly all of these files is zeros: step over four at a time.
    while (end - at > 8 && std::memcmp(at, kFourZeros.data(), 8) == 0) {
      at += 8;
      column += 4;
    }
    const char* stop = at;
    while (stop != end && *stop != ',') ++stop;
    if (stop - at == 1 && (*at == '0' || *at == '1')) {
      if (*at == '1') rows_.add(column, 1.0f);
    } else {
      const std::string_view text(at, static_cast<size_t>(stop - at));
      const float value = parse_feature(text, place);
      if (value != 0) rows_.add(column, value);
    }
    if (stop == end) break;
    at = stop + 1;
  }
  if (column + 1 != width_) {
    fail_at(place,
            fmt::format("expected {} feature values as in line {}, got {}; a "
                        "file of feature indices needs 'feature_amount:N' in "
                        "its header line",
                        width_, first_line_, column + 1));
  }
}

void GeomGcnFeatures::add_indices(std::string_view field,
                                  const SourceLine& place) {
  indices_.clear();
  if (!field.empty()) {
    for (const std::string_view part : core::split_fields(field, ',')) {
      const int64_t index = core::parse_integer(part, "feature index", place);
      if (index < 0 || index >= kMaxFeatures) {
        fail_at(place, fmt::format("expected a feature index in [0, {}), got "
                                   "{}",
                                   kMaxFeatures, index));
      }
      indices_.push_back(index);
    }
  }
  std::sort(indices_.begin(), indices_.end());
  const auto distinct = std::unique(indices_.begin(), indices_.end());
  if (distinct != indices_.end()) ++rows_with_repeats_;
  indices_.erase(distinct, indices_.end());
  for (const int64_t index : indices_) rows_.add(index, 1.0f);
  if (!indices_.empty()) width_ = std::max(width_, indices_.back() + 1);
}

}  // namespace ordered_gnn::data
