#include "data/tables/cells.h"

#include <gtest/gtest.h>

#include <cmath>

namespace ordered_gnn::data {
namespace {

double days_of(const char* cell, DateOrder order = DateOrder::year_first) {
  double days = -1e9;
  return parse_date(cell, order, days) ? days : NAN;
}

TEST(Cells, NumbersArePlainDecimals) {
  double value = 0;
  for (const auto& [cell, expected] :
       {std::pair{"12", 12.0}, {"-3.5", -3.5}, {"+1e-3", 1e-3}, {".5", 0.5}}) {
    EXPECT_TRUE(parse_cell_number(cell, value)) << cell;
    EXPECT_EQ(value, expected);
  }
  for (const char* cell : {"", "nan", "inf", "-inf", "1,5", "1 2", "0x10", "-",
                           "+", "+-1", "1e999", "12a"}) {
    EXPECT_FALSE(parse_cell_number(cell, value)) << cell;
  }
  EXPECT_TRUE(parse_decimal_comma("-1,25", value));
  EXPECT_EQ(value, -1.25);
  EXPECT_FALSE(parse_decimal_comma("1.234,5", value));
  EXPECT_FALSE(parse_decimal_comma("1,2,3", value));
}

TEST(Cells, DatesCountDays) {
  EXPECT_EQ(days_of("1970-01-01"), 0);
  EXPECT_EQ(days_of("1969-12-31"), -1);
  EXPECT_EQ(days_of("2000-03-01"), 11017);
  EXPECT_EQ(days_of("2024/2/29"), 19782);
  EXPECT_EQ(days_of("29.02.2024", DateOrder::day_first), 19782);
  EXPECT_EQ(days_of("2/29/2024", DateOrder::month_first), 19782);
  EXPECT_EQ(days_of("1970-01-02 12:00"), 1.5);
  EXPECT_EQ(days_of("1970-01-02T06:00:00.000Z"), 1.25);
  EXPECT_EQ(days_of("1970-01-01T02:00:00+02:00"), 0);
  for (const char* cell : {"2023-02-29", "2024-13-01", "2024-00-10",
                           "2024-1-32", "20240101", "2024-01/01", "2024-01-01x",
                           "2024-01-01 25:00", "", "1.5", "99-01-01"}) {
    EXPECT_TRUE(std::isnan(days_of(cell))) << cell;
  }
}

TEST(Cells, DatesAreWrittenAsTheyAreRead) {
  for (const char* cell : {"1970-01-01", "2024-02-29", "1899-12-31"}) {
    EXPECT_EQ(date_text(days_of(cell)), cell);
    EXPECT_EQ(timestamp_text(days_of(cell)), cell);
  }
  const double noon = days_of("2024-05-06 07:08:09");
  EXPECT_EQ(days_of(timestamp_text(noon).c_str()), noon);
}

TEST(Cells, DaysAreThoseOfACalendar) {
  EXPECT_TRUE(is_day(days_of("0001-01-01")));
  EXPECT_TRUE(is_day(days_of("9999-12-31 23:59:59-14:00")));
  for (const double days :
       {4e6, -4e6, 9.3e18, -1e300, HUGE_VAL, std::nan("")}) {
    EXPECT_FALSE(is_day(days)) << days;
  }
}

TEST(Cells, SeasonsTurnOnceAYear) {
  const auto [sine, cosine] = season_of(days_of("2023-01-01"));
  EXPECT_NEAR(sine, 0, 1e-12);
  EXPECT_NEAR(cosine, 1, 1e-12);
  EXPECT_NEAR(season_of(days_of("2023-07-02")).second, -1, 1e-3);
}

TEST(Cells, WordsForMissingYesAndNo) {
  for (const char* cell : {"", "NA", "n/a", "NaN", "NULL", "None", "?", "-"}) {
    EXPECT_TRUE(is_missing_word(cell)) << cell;
  }
  for (const char* cell : {"0", "nope", "--- ", "x", "nan0"}) {
    EXPECT_FALSE(is_missing_word(cell)) << cell;
  }
  EXPECT_EQ(yes_no_value("Yes"), 1);
  EXPECT_EQ(yes_no_value("FALSE"), 0);
  EXPECT_EQ(yes_no_value("maybe"), -1);
}

}  // namespace
}  // namespace ordered_gnn::data
