#include "data/formats/dense_rows.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>

#include "core/io/tensor_memory.h"
#include "core/io/text/quick_number.h"
#include "core/io/text/text.h"
#include "core/names.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kFirstBytes = int64_t{1} << 20;

[[noreturn]] void fail_count(std::string_view text, int64_t width,
                             const SourceLine& place) {
  const int64_t found = 1 + std::count(text.begin(), text.end(), ',');
  fail_at(place, fmt::format("expected {} feature values, got {}", width,
                             text.empty() ? 0 : found));
}

std::string_view unquoted(std::string_view field) {
  const bool quoted =
      field.size() >= 2 && field.front() == '"' && field.back() == '"';
  return quoted ? field.substr(1, field.size() - 2) : field;
}

std::string column_text(const std::string* names, int64_t column) {
  return names == nullptr ? fmt::format("feature {}", column)
                          : fmt::format("column '{}'", names[column]);
}

// What to do about a field that is no number.
std::string remedy_for(std::string_view field) {
  constexpr std::string_view kGaps[] = {"",     "nan",  "na", "n/a",
                                        "null", "none", "?",  "-"};
  const std::string word =
      core::lower_case(core::trimmed(unquoted(core::trimmed(field))));
  const bool gap =
      std::find(std::begin(kGaps), std::end(kGaps), word) != std::end(kGaps);
  return gap ? "fill the gap with a number, for example the mean of the "
               "column, or let 'ognn data import' read the table, which does"
             : "write a number there, one column of 0 and 1 per category, or "
               "let 'ognn data import' read the table, which makes them";
}

// The field at `at` by the parser that explains; moves behind it.
float parse_slowly(const char*& at, const char* end, const std::string& column,
                   const SourceLine& place) {
  const char* const stop = std::find(at, end, ',');
  const std::string_view field(at, static_cast<size_t>(stop - at));
  at = stop;
  try {
    return core::parse_float(unquoted(field), column, place);
  } catch (const Error& error) {
    fail("{}; {}", error.what(), remedy_for(field));
  }
}

}  // namespace

void DenseRows::grow() {
  const int64_t row_bytes =
      std::max<int64_t>(width_, 1) * static_cast<int64_t>(sizeof(float));
  int64_t wanted =
      std::max({2 * capacity_, kFirstBytes / row_bytes, int64_t{1}});
  if (num_rows_ < expected_) wanted = std::min(wanted, expected_);
  const at::Tensor larger =
      core::allocate_tensor({wanted, width_}, at::kFloat, place_);
  float* const data = larger.data_ptr<float>();
  if (num_rows_ > 0) {
    std::memcpy(data, data_, static_cast<size_t>(num_rows_ * row_bytes));
  }
  values_ = larger;
  data_ = data;
  capacity_ = wanted;
}

at::Tensor DenseRows::values() const {
  if (num_rows_ == 0) return at::empty({0, width_}, at::kFloat);
  return values_.narrow(0, 0, num_rows_);
}

void parse_number_row(std::string_view text, int64_t width, float* row,
                      const SourceLine& place, const std::string* names) {
  const char* at = text.data();
  const char* const end = at + text.size();
  for (int64_t column = 0; column < width; ++column) {
    const char* const begin = at;
    if (!core::quick_float(at, end, row[column]) || (at != end && *at != ',')) {
      at = begin;
      row[column] = parse_slowly(at, end, column_text(names, column), place);
    }
    if ((at == end) != (column + 1 == width)) fail_count(text, width, place);
    if (at != end) ++at;
  }
}

}  // namespace ordered_gnn::data
