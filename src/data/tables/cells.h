#pragma once
#include <string>
#include <string_view>
#include <utility>

namespace ordered_gnn::data {

/// A plain decimal number: "12", "-3.5", "+1e-3", ".5". Not "inf" or "nan", no
/// blanks, no thousands separators.
bool parse_cell_number(std::string_view cell, double& value);

/// The same with a comma before the fraction: "3,5".
bool parse_decimal_comma(std::string_view cell, double& value);

/// Texts that stand for no value in a column of numbers, dates or yes and no:
/// the empty cell, NA, N/A, #N/A, NaN, null, none, nil, ?, - and the like, in
/// any case.
bool is_missing_word(std::string_view cell);

/// How dates are written.
enum class DateOrder { year_first, day_first, month_first };

/// Days since 1970-01-01, with the time as a fraction. Year first is
/// YYYY-MM-DD, YYYY/MM/DD or YYYY.MM.DD (YYYYMMDD is a number); the others
/// are DD.MM.YYYY and MM/DD/YYYY with any of '-', '/', '.' between. A time may
/// follow behind a blank or T: HH:MM, HH:MM:SS, with a fraction, with Z or an
/// offset such as +02:00.
bool parse_date(std::string_view cell, DateOrder order, double& days);

/// Whether a number can be a day: within 4 million days of 1970, beyond all
/// that parse_date() reads. The next three take no others.
bool is_day(double days);

/// Sine and cosine of the day of the year, one turn a year.
std::pair<double, double> season_of(double days);

/// "2024-03-01" of days since 1970-01-01.
std::string date_text(double days);

/// What parse_date() reads back as the same number: with the time of the day
/// when it is not midnight.
std::string timestamp_text(double days);

/// The pairs of texts that mean no and yes, in any case: no/yes, n/y,
/// false/true, f/t, 0/1, off/on.
/// @return 0 for no, 1 for yes, -1 for neither.
int yes_no_value(std::string_view cell);

}  // namespace ordered_gnn::data
