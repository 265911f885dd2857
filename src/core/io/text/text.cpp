#include "core/io/text/text.h"

#include <charconv>
#include <cmath>
#include <cstdlib>
#include <system_error>

namespace ordered_gnn::core {
namespace {

constexpr size_t kMaxQuoted = 40;

// A damaged file can have a field of megabytes; the message stays one line.
std::string quoted(std::string_view field) {
  return field.size() <= kMaxQuoted
             ? fmt::format("'{}'", field)
             : fmt::format("'{}...'", field.substr(0, kMaxQuoted));
}

// std::from_chars takes a minus but no plus sign.
std::string_view without_plus(std::string_view field) {
  const bool skip = field.size() > 1 && field[0] == '+' && field[1] != '-';
  return skip ? field.substr(1) : field;
}

// A number at the start of a field, with or without a plus.
template <typename Number>
struct StartOfField {
  explicit StartOfField(std::string_view field) : digits(without_plus(field)) {
    const char* const end = digits.data() + digits.size();
    const auto [stop, status] = std::from_chars(digits.data(), end, value);
    is_whole = stop == end;
    is_number = status == std::errc{} && is_whole;
    is_out_of_range = status == std::errc::result_out_of_range;
  }

  std::string_view digits;
  Number value = 0;
  bool is_whole;  // nothing is behind it
  bool is_number;
  bool is_out_of_range;
};

// A number beyond the range of double: too large is an error, too close to
// zero becomes the nearest double as everywhere else.
double parse_out_of_range(std::string_view field) {
  return std::strtod(std::string(field).c_str(), nullptr);
}

}  // namespace

std::filesystem::path plain_or_gzipped(const std::filesystem::path& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored)) return path;
  std::filesystem::path gzipped = path;
  gzipped += ".gz";
  return std::filesystem::exists(gzipped, ignored) ? gzipped : path;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split_fields(std::string_view line,
                                           char separator) {
  std::vector<std::string_view> fields;
  FieldCursor cursor(line, separator);
  for (std::string_view field; cursor.next(field);) fields.push_back(field);
  return fields;
}

int64_t parse_integer(std::string_view field, std::string_view what,
                      const SourceLine& place) {
  const StartOfField<int64_t> start(field);
  if (start.is_out_of_range) {
    fail_at(place,
            fmt::format("{} is beyond 64 bits: {}", what, quoted(field)));
  }
  if (!start.is_number) {
    fail_at(place, fmt::format("expected an integer for {}, got {}", what,
                               quoted(field)));
  }
  return start.value;
}

double parse_number(std::string_view field, std::string_view what,
                    const SourceLine& place) {
  const StartOfField<double> start(field);
  double value = start.value;
  if (start.is_out_of_range && start.is_whole) {
    value = parse_out_of_range(start.digits);
  } else if (!start.is_number) {
    fail_at(place, fmt::format("expected a number for {}, got {}", what,
                               quoted(field)));
  }
  if (!std::isfinite(value)) {
    fail_at(place, fmt::format("expected a finite number for {}, got {}", what,
                               quoted(field)));
  }
  return value;
}

}  // namespace ordered_gnn::core
