#include "core/io/text/quick_number.h"

#include <charconv>
#include <random>
#include <string>

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

const SourceLine kPlace{"numbers.csv", 7};

// The quick result, checked against from_chars; NaN when it refuses.
float quick(const std::string& text) {
  const char* at = text.data();
  const char* const end = at + text.size();
  float value = std::numeric_limits<float>::quiet_NaN();
  if (!quick_float(at, end, value)) {
    EXPECT_EQ(at, text.data()) << text;
    return std::numeric_limits<float>::quiet_NaN();
  }
  float want = 0;
  const auto [stop, status] = std::from_chars(text.data(), end, want);
  EXPECT_EQ(at, stop) << text;
  EXPECT_EQ(status, std::errc{}) << text;
  EXPECT_EQ(value, want) << text;
  EXPECT_EQ(std::signbit(value), std::signbit(want)) << text;
  return value;
}

TEST(QuickFloat, ReadsTheCommonForms) {
  for (const char* text :
       {"0", "-0", "1", "-1", "0.5", "-0.057943", "12.", ".5", "1e3", "1E-3",
        "2.5e+2", "123456789", "0.0000001", "3.4028235e+38", "1.1754944e-38",
        "9007199254740992", "0e999", "1.5,2", "1e22"}) {
    const bool quick_enough = !std::isnan(quick(text));
    // Beyond 22 powers of ten it may refuse, but never be wrong.
    if (std::string(text).find("38") == std::string::npos) {
      EXPECT_TRUE(quick_enough) << text;
    }
  }
}

TEST(QuickFloat, LeavesTheRestToTheParserThatExplains) {
  for (const char* text :
       {"", "-", ".", "e5", "nan", "inf", "+1", " 1", "1e", "1e+", "1e99999",
        "12345678901234567890", "1e-46", "1e39", "--1", "x"}) {
    EXPECT_TRUE(std::isnan(quick(text))) << text;
  }
}

TEST(QuickFloat, NeverRoundsTwice) {
  // Halfway between two floats, and a last digit that a double cannot hold
  // beside it: the sum decides.
  for (const char* text :
       {"16777217", "16777217.0000000001", "16777216.9999999999",
        "1.000000059604644775", "1.00000005960464478", "33554434.000000001",
        "8388608.5", "0.50000002980232238770"}) {
    quick(text);
  }
}

TEST(QuickFloat, AgreesWithTheLibraryOnRandomNumbers) {
  std::mt19937_64 random(1);
  int64_t refused = 0;
  for (int i = 0; i < 200000; ++i) {
    const uint32_t bits = static_cast<uint32_t>(random());
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const float back = quick(fmt::format("{}", value));
    if (!std::isnan(back)) {
      EXPECT_EQ(back, value);
    }
    const double wide = std::ldexp(static_cast<double>(random()), -64) * 20 - 9;
    refused += std::isnan(quick(fmt::format("{:.{}f}", wide, i % 16)));
  }
  EXPECT_LT(refused, 5000);
}

TEST(ParseFloat, ReadsEveryFloatBack) {
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    const uint32_t bits = random();
    float value = 0;
    std::memcpy(&value, &bits, sizeof(value));
    if (!std::isfinite(value)) continue;
    const std::string text = fmt::format("{}", value);
    EXPECT_EQ(parse_float(text, "value", kPlace), value) << text;
  }
  EXPECT_EQ(parse_float("1e-45", "value", kPlace), 1e-45f);
  EXPECT_EQ(parse_float("1e-60", "value", kPlace), 0);
  EXPECT_EQ(parse_float("1e-400", "value", kPlace), 0);
  EXPECT_EQ(parse_float("+2.5", "value", kPlace), 2.5f);
  EXPECT_TRUE(std::signbit(parse_float("-0", "value", kPlace)));
}

TEST(ParseFloat, NamesThePlaceAndTheFieldOfWhatIsNoFiniteFloat) {
  for (const char* text : {"", "nan", "inf", "-inf", "1e39", "1e999", "x", "1 ",
                           " 1", "1,5", "0x10"}) {
    const std::string message =
        error_of([&] { parse_float(text, "feature value", kPlace); });
    EXPECT_NE(message.find("numbers.csv:7:"), std::string::npos) << text;
    EXPECT_NE(message.find("feature value"), std::string::npos) << text;
  }
}

TEST(QuickInteger, TakesDigitsAndNothingElse) {
  const auto read = [](const std::string& text) {
    const char* at = text.data();
    int64_t value = -1;
    const bool ok = quick_integer(at, at + text.size(), value);
    EXPECT_EQ(ok, at != text.data());
    return value;
  };
  EXPECT_EQ(read("0"), 0);
  EXPECT_EQ(read("42,7"), 42);
  EXPECT_EQ(read("007"), 7);
  EXPECT_EQ(read("999999999999999999"), 999999999999999999);
  for (const char* text : {"", "-1", "+1", " 1", "x", "9999999999999999999"}) {
    EXPECT_EQ(read(text), -1) << text;
  }
}

}  // namespace
}  // namespace ordered_gnn::core
