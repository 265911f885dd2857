#include "core/io/json_numbers.h"

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

TEST(JsonNumbers, TakesWholeNumbersOfTheRangeAlone) {
  const Json object = {{"zero", 0},
                       {"most", int64_t{1} << 53},
                       {"negative", -1},
                       {"low", std::numeric_limits<int64_t>::min()},
                       {"high", std::numeric_limits<int64_t>::max()}};
  EXPECT_EQ(whole_number(object, "zero"), 0);
  EXPECT_EQ(whole_number(object, "most"), int64_t{1} << 53);
  EXPECT_EQ(whole_number(object, "negative", -1, 5), -1);
  constexpr int64_t kLow = std::numeric_limits<int64_t>::min();
  constexpr int64_t kHigh = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(whole_number(object, "low", kLow, kHigh), kLow);
  EXPECT_EQ(whole_number(object, "high", kLow, kHigh), kHigh);
  EXPECT_EQ(error_of([&] { whole_number(object, "negative"); }),
            "'negative' must be a whole number from 0 to 9007199254740992, not "
            "-1");
  EXPECT_MENTIONS(error_of([&] { whole_number(object, "most", 0, 9); }),
                  "from 0 to 9");
  EXPECT_EQ(error_of([&] { whole_number(object, "none"); }), "has no 'none'");
  EXPECT_EQ(error_of([] { whole_number(Json(3), "a"); }), "has no 'a'");
}

TEST(JsonNumbers, RefusesWhatTheLibraryWouldConvert) {
  for (const Json& value :
       {Json(1e300), Json(1.5), Json(2.0), Json(uint64_t{1} << 63),
        Json(std::numeric_limits<uint64_t>::max()), Json(true), Json("1"),
        Json(), Json::array({1}), Json::object(), Json(NAN)}) {
    EXPECT_FALSE(is_whole_number(value)) << value;
    const Json object = {{"n", value}};
    EXPECT_MENTIONS(error_of([&] { whole_number(object, "n"); }),
                    "'n' must be a whole number");
    EXPECT_MENTIONS(error_of([&] { whole_number_or(1, object, "n"); }),
                    "'n' must be a whole number");
  }
  EXPECT_EQ(whole_number_or(7, Json::object(), "n"), 7);
  EXPECT_EQ(whole_number_or(7, {{"n", 3}}, "n"), 3);
}

TEST(JsonNumbers, TakesNumbersOfTheRangeAlone) {
  const Json object = {{"a", 1.5}, {"b", -2}, {"c", "x"}, {"d", nullptr}};
  EXPECT_EQ(real_number(object, "a"), 1.5);
  EXPECT_EQ(real_number(object, "b"), -2);
  EXPECT_EQ(error_of([&] { real_number(object, "b", 0); }),
            "'b' must be a number of at least 0, not -2");
  EXPECT_EQ(error_of([&] { real_number(object, "a", 0, 1); }),
            "'a' must be a number from 0 to 1, not 1.5");
  EXPECT_EQ(error_of([&] { real_number(object, "c"); }),
            "'c' must be a number, not \"x\"");
  EXPECT_MENTIONS(error_of([&] { real_number(object, "d"); }), "not null");
  EXPECT_EQ(error_of([&] { real_number(object, "e"); }), "has no 'e'");
}

TEST(JsonNumbers, AMessageShowsNoWholeTree) {
  const Json object = {{"n", std::string(1000, 'x')}, {"l", {1, 2, 3}}};
  EXPECT_MENTIONS(error_of([&] { whole_number(object, "n"); }), "a long text");
  EXPECT_MENTIONS(error_of([&] { whole_number(object, "l"); }), "a list");
}

}  // namespace
}  // namespace ordered_gnn::core
