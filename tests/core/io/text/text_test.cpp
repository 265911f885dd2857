#include "core/io/text/text.h"

#include "core/io/io_support.h"

namespace ordered_gnn::core {
namespace {

using Fields = std::vector<std::string_view>;

const SourceLine kHere{"edges.csv", 12};

TEST(SplitFields, KeepsEmptyFields) {
  EXPECT_EQ(split_fields("a,b,c", ','), (Fields{"a", "b", "c"}));
  EXPECT_EQ(split_fields(",a,,", ','), (Fields{"", "a", "", ""}));
  EXPECT_EQ(split_fields("", ','), Fields{""});
  EXPECT_EQ(split_fields("a\tb c", '\t'), (Fields{"a", "b c"}));
}

TEST(Trimmed, TakesBlanksOffTheEndsOnly) {
  EXPECT_EQ(trimmed(" a b\t"), "a b");
  EXPECT_EQ(trimmed("a"), "a");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(trimmed(""), "");
}

TEST(FieldCursor, WalksOverTheSameFields) {
  for (const std::string line : {"1,2,3", ",", "", "one", "a,,b,"}) {
    Fields walked;
    FieldCursor cursor(line, ',');
    for (std::string_view field; cursor.next(field);) walked.push_back(field);
    EXPECT_EQ(walked, split_fields(line, ',')) << line;
  }
}

TEST(ParseInteger, ReadsTheWholeRange) {
  EXPECT_EQ(parse_integer("0", "node", kHere), 0);
  EXPECT_EQ(parse_integer("-17", "node", kHere), -17);
  EXPECT_EQ(parse_integer("+17", "node", kHere), 17);
  EXPECT_EQ(parse_integer("9223372036854775807", "node", kHere), INT64_MAX);
  EXPECT_EQ(parse_integer("-9223372036854775808", "node", kHere), INT64_MIN);
}

TEST(ParseInteger, RefusesEverythingElseAndNamesIt) {
  for (const char* field :
       {"", " 1", "1 ", "1.0", "x", "1x", "0x10", "+", "-", "+-1", "++1"}) {
    EXPECT_EQ(error_of([&] { parse_integer(field, "the node id", kHere); }),
              std::string(
                  "edges.csv:12: expected an integer for the node id, got '") +
                  field + "'");
  }
  EXPECT_EQ(error_of([] { parse_integer("9223372036854775808", "id", kHere); }),
            "edges.csv:12: id is beyond 64 bits: '9223372036854775808'");
}

TEST(ParseInteger, ShortensALongFieldInItsMessage) {
  const std::string field(5000, 'x');
  const std::string message =
      error_of([&] { parse_integer(field, "id", kHere); });
  EXPECT_LT(message.size(), 200u);
  EXPECT_MENTIONS(message, "xxx...'");
}

TEST(ParseNumber, ReadsEveryDecimalForm) {
  EXPECT_EQ(parse_number("1", "x", kHere), 1.0);
  EXPECT_EQ(parse_number("-0.5", "x", kHere), -0.5);
  EXPECT_EQ(parse_number("+.5", "x", kHere), 0.5);
  EXPECT_EQ(parse_number("2.", "x", kHere), 2.0);
  EXPECT_EQ(parse_number("1.5e-3", "x", kHere), 0.0015);
  EXPECT_EQ(parse_number("1E3", "x", kHere), 1000.0);
  EXPECT_EQ(parse_number("1.7976931348623157e308", "x", kHere),
            1.7976931348623157e308);
}

TEST(ParseNumber, RoundsWhatIsTooCloseToZero) {
  EXPECT_EQ(parse_number("1e-400", "x", kHere), 0.0);
  EXPECT_EQ(parse_number("-1e-400", "x", kHere), 0.0);
  EXPECT_EQ(parse_number("5e-324", "x", kHere), 5e-324);
}

TEST(ParseNumber, RefusesWhatIsNoFiniteNumber) {
  for (const char* field :
       {"", "x", "1.0x", " 1", "1 ", "1e", "0x1p3", "--1", "+-1", "1,5", "."}) {
    EXPECT_MENTIONS(
        error_of([&] { parse_number(field, "x", kHere); }),
        std::string("edges.csv:12: expected a number for x, got '") + field +
            "'");
  }
  for (const char* field : {"nan", "inf", "-inf", "infinity", "1e400"}) {
    EXPECT_MENTIONS(
        error_of([&] { parse_number(field, "x", kHere); }),
        std::string("expected a finite number for x, got '") + field + "'");
  }
}

TEST(PlainOrGzipped, PrefersThePlainFile) {
  const TempDir dir;
  EXPECT_EQ(plain_or_gzipped(dir / "x.csv"), dir / "x.csv");
  write_file(dir / "x.csv.gz", "");
  EXPECT_EQ(plain_or_gzipped(dir / "x.csv"), dir / "x.csv.gz");
  write_file(dir / "x.csv", "");
  EXPECT_EQ(plain_or_gzipped(dir / "x.csv"), dir / "x.csv");
}

}  // namespace
}  // namespace ordered_gnn::core
