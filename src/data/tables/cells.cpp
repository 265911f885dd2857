#include "data/tables/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <string>

#include "core/io/text/quick_decimal.h"
#include "core/names.h"

namespace ordered_gnn::data {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kDaysOfYear = 365.2425;

// Days since 1970-01-01 of a day of the Gregorian calendar. Years begin in
// March, so that the leap day is the last of one.
int64_t days_from_civil(int64_t year, int64_t month, int64_t day) {
  if (month <= 2) --year;
  const int64_t era = (year >= 0 ? year : year - 399) / 400;
  const int64_t year_of_era = year - era * 400;
  const int64_t day_of_year =
      (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const int64_t day_of_era =
      year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

struct Civil {
  int64_t year, month, day;
};

Civil civil_from_days(int64_t days) {
  days += 719468;
  const int64_t era = (days >= 0 ? days : days - 146096) / 146097;
  const int64_t day_of_era = days - era * 146097;
  const int64_t year_of_era = (day_of_era - day_of_era / 1460 +
                               day_of_era / 36524 - day_of_era / 146096) /
                              365;
  const int64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const int64_t shifted = (5 * day_of_year + 2) / 153;
  const int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
  const int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
  return {year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

int64_t days_in(int64_t year, int64_t month) {
  constexpr std::array<int64_t, 12> kDays = {31, 28, 31, 30, 31, 30,
                                             31, 31, 30, 31, 30, 31};
  const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
  return kDays[static_cast<size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

// Reads `least` to `most` digits.
bool take_digits(const char*& at, const char* end, int least, int most,
                 int64_t& value) {
  const char* const begin = at;
  value = 0;
  while (at != end && at - begin < most && core::is_digit(*at)) {
    value = 10 * value + (*at++ - '0');
  }
  return at - begin >= least;
}

bool take(const char*& at, const char* end, char wanted) {
  if (at == end || *at != wanted) return false;
  ++at;
  return true;
}

// An offset behind a time, in minutes; none is 0.
bool take_offset(const char*& at, const char* end, double& minutes) {
  minutes = 0;
  if (at == end || take(at, end, 'Z')) return true;
  const bool negative = *at == '-';
  if (*at != '+' && *at != '-') return false;
  ++at;
  int64_t hours = 0;
  int64_t rest = 0;
  if (!take_digits(at, end, 2, 2, hours)) return false;
  take(at, end, ':');
  if (at != end && !take_digits(at, end, 2, 2, rest)) return false;
  if (hours > 14 || rest > 59) return false;
  minutes = static_cast<double>(60 * hours + rest) * (negative ? -1 : 1);
  return true;
}

// "HH:MM[:SS[.fraction]][offset]" as a share of a day.
bool parse_time(const char* at, const char* end, double& share) {
  int64_t hour = 0;
  int64_t minute = 0;
  int64_t second = 0;
  double fraction = 0;
  if (!take_digits(at, end, 1, 2, hour) || !take(at, end, ':') ||
      !take_digits(at, end, 2, 2, minute)) {
    return false;
  }
  if (take(at, end, ':')) {
    if (!take_digits(at, end, 2, 2, second)) return false;
    if (at != end && (*at == '.' || *at == ',')) {
      ++at;
      const char* const digits = at;
      for (double unit = 0.1; at != end && core::is_digit(*at); unit /= 10) {
        fraction += unit * (*at++ - '0');
      }
      if (at == digits) return false;
    }
  }
  if (hour > 24 || minute > 59 || second > 60) return false;
  while (at != end && *at == ' ') ++at;
  double offset = 0;
  if (!take_offset(at, end, offset) || at != end) return false;
  const double minutes = static_cast<double>(60 * hour + minute) - offset;
  share = (60 * minutes + static_cast<double>(second) + fraction) / 86400;
  return true;
}

bool is_date_separator(char c) { return c == '-' || c == '/' || c == '.'; }

// "YYYY-MM-DD", the common form, in one step.
bool quick_parts(const char* at, std::array<int64_t, 3>& parts) {
  if (!is_date_separator(at[4]) || at[4] != at[7]) return false;
  const uint64_t month = core::load_le<uint16_t>(at + 5);
  const uint64_t day = core::load_le<uint16_t>(at + 8);
  uint64_t number = 0;
  if (!core::packed::eight_digits(
          core::load_le<uint32_t>(at) | month << 32 | day << 48, number)) {
    return false;
  }
  const auto whole = static_cast<int64_t>(number);
  parts = {whole / 10000, whole / 100 % 100, whole % 100};
  return true;
}

// Three numbers with one kind of separator between.
bool take_parts(const char*& at, const char* end, DateOrder order,
                std::array<int64_t, 3>& parts) {
  const bool year_first = order == DateOrder::year_first;
  if (year_first && end - at >= 10 && quick_parts(at, parts)) {
    at += 10;
    return true;
  }
  if (!take_digits(at, end, year_first ? 4 : 1, year_first ? 4 : 2, parts[0])) {
    return false;
  }
  if (at == end) return false;
  const char separator = *at;
  if (!is_date_separator(separator)) return false;
  ++at;
  if (!take_digits(at, end, 1, 2, parts[1]) || !take(at, end, separator)) {
    return false;
  }
  return year_first ? take_digits(at, end, 1, 2, parts[2])
                    : take_digits(at, end, 4, 4, parts[2]);
}

}  // namespace

bool parse_cell_number(std::string_view cell, double& value) {
  if (cell.empty()) return false;
  if (core::quick_decimal(cell, value)) return true;
  if (cell.size() > 1 && cell.front() == '+' && cell[1] != '-') {
    cell.remove_prefix(1);
  }
  // from_chars takes "inf" and "nan", which are no numbers here.
  const char first = cell.front() == '-' && cell.size() > 1 ? cell[1] : cell[0];
  if (!core::is_digit(first) && first != '.') return false;
  const char* const end = cell.data() + cell.size();
  const auto [stop, status] = std::from_chars(cell.data(), end, value);
  return status == std::errc{} && stop == end && std::isfinite(value);
}

bool parse_decimal_comma(std::string_view cell, double& value) {
  constexpr size_t kMost = 64;
  std::array<char, kMost> text;
  if (cell.size() > kMost || std::count(cell.begin(), cell.end(), ',') > 1 ||
      cell.find('.') != std::string_view::npos) {
    return false;
  }
  std::replace_copy(cell.begin(), cell.end(), text.begin(), ',', '.');
  return parse_cell_number({text.data(), cell.size()}, value);
}

bool is_missing_word(std::string_view cell) {
  constexpr std::array<std::string_view, 13> kWords = {
      "na",   "n/a", "#n/a", "nan", "null",    "none",   "nil",
      "<na>", "?",   "-",    "--",  "missing", "unknown"};
  if (cell.empty()) return true;
  if (cell.size() > 7) return false;
  const std::string lower = core::lower_case(cell);
  return std::find(kWords.begin(), kWords.end(), lower) != kWords.end();
}

bool parse_date(std::string_view cell, DateOrder order, double& days) {
  const char* at = cell.data();
  const char* const end = at + cell.size();
  std::array<int64_t, 3> parts = {};
  if (!take_parts(at, end, order, parts)) return false;
  const size_t year_at = order == DateOrder::year_first ? 0 : 2;
  const size_t month_at = order == DateOrder::month_first ? 0 : 1;
  const int64_t year = parts[year_at];
  const int64_t month = parts[month_at];
  const int64_t day = parts[3 - year_at - month_at];
  if (year < 1 || month < 1 || month > 12 || day < 1 ||
      day > days_in(year, month)) {
    return false;
  }
  double time = 0;
  if (at != end) {
    if (*at != ' ' && *at != 'T') return false;
    if (!parse_time(at + 1, end, time)) return false;
  }
  days = static_cast<double>(days_from_civil(year, month, day)) + time;
  return true;
}

bool is_day(double days) {
  constexpr double kMostDays = 4e6;  // beyond the year 9999 either way
  return std::fabs(days) < kMostDays;
}

std::pair<double, double> season_of(double days) {
  const auto whole = static_cast<int64_t>(std::floor(days));
  const Civil civil = civil_from_days(whole);
  const double day_of_year =
      days - static_cast<double>(days_from_civil(civil.year, 1, 1));
  const double angle = 2 * kPi * day_of_year / kDaysOfYear;
  return {std::sin(angle), std::cos(angle)};
}

std::string date_text(double days) {
  const Civil civil = civil_from_days(static_cast<int64_t>(std::floor(days)));
  return fmt::format("{:04}-{:02}-{:02}", civil.year, civil.month, civil.day);
}

std::string timestamp_text(double days) {
  const double whole = std::floor(days);
  const auto nanos =
      static_cast<int64_t>(std::llround((days - whole) * 86400e9));
  if (nanos == 0) return date_text(days);
  const int64_t seconds = nanos / 1000000000;
  return fmt::format("{} {:02}:{:02}:{:02}.{:09}", date_text(days),
                     seconds / 3600, seconds / 60 % 60, seconds % 60,
                     nanos % 1000000000);
}

int yes_no_value(std::string_view cell) {
  constexpr std::array<std::string_view, 6> kNo = {"no", "n", "false",
                                                   "f",  "0", "off"};
  constexpr std::array<std::string_view, 6> kYes = {"yes", "y", "true",
                                                    "t",   "1", "on"};
  if (cell.empty() || cell.size() > 5) return -1;
  const std::string lower = core::lower_case(cell);
  if (std::find(kNo.begin(), kNo.end(), lower) != kNo.end()) return 0;
  if (std::find(kYes.begin(), kYes.end(), lower) != kYes.end()) return 1;
  return -1;
}

}  // namespace ordered_gnn::data
