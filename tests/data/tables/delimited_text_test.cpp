#include "data/tables/delimited_text.h"

#include <gtest/gtest.h>

#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

TEST(DelimitedText, RecognisesTheDelimiter) {
  for (const char delimiter : {',', ';', '\t', '|'}) {
    const std::string d(1, delimiter);
    const DelimitedText text("t.csv", "a" + d + "b\n1" + d + "2\n");
    EXPECT_EQ(text.delimiter(), delimiter);
    EXPECT_EQ(text.header(), (std::vector<std::string>{"a", "b"}));
  }
  // Commas inside the fields of a file of semicolons.
  const DelimitedText text("t.csv", "a;b\n1,5;x,y\n2,5;z\n");
  EXPECT_EQ(text.delimiter(), ';');
}

TEST(DelimitedText, TakesQuotesMarksAndLineEnds) {
  EXPECT_EQ(
      rows_of("\xEF\xBB\xBFid,text\r\n1,\"a, \"\"b\"\"\"\r\n\r\n2,  c \n"),
      (Rows{{"1", "a, \"b\""}, {"2", "c"}}));
  EXPECT_EQ(rows_of("a,b\n\"x\ny\",\"\"\n"), (Rows{{"x\ny", ""}}));
  EXPECT_EQ(rows_of("a,b\n1,2"), (Rows{{"1", "2"}}));
  EXPECT_EQ(rows_of("a\tb\n\t2\n"), (Rows{{"", "2"}}));
}

TEST(DelimitedText, TakesWhatIsNotUtf8AsLatin1AndSaysSo) {
  const DelimitedText text("t.csv", "name,b\nM\xFCller,1\n");
  EXPECT_TRUE(any_contains(text.notes(), "Latin-1"));
  RecordReader records(text);
  std::vector<std::string_view> fields;
  ASSERT_TRUE(records.next(fields));
  EXPECT_EQ(fields[0], "M\xC3\xBCller");
  EXPECT_TRUE(DelimitedText("t.csv", "a,b\nM\xC3\xBC,1\n").notes().empty());
}

TEST(DelimitedText, RefusesWhatIsNoTable) {
  const auto error = [](const std::string& text) {
    return error_of([&] { DelimitedText("t.csv", text); });
  };
  EXPECT_TRUE(contains(error(""), "t.csv: is empty"));
  EXPECT_TRUE(contains(error("\xFF\xFE"), "UTF-16"));
  EXPECT_TRUE(contains(error(std::string("a,b\n1,\0", 7)), "NUL"));
  EXPECT_TRUE(contains(error("a,a\n1,2\n"), "t.csv:1: the header names 'a'"));
  EXPECT_TRUE(contains(error("a,\n1,2\n"), "column 2 of the header"));
  EXPECT_TRUE(contains(error_of([] { DelimitedText("/no/such.csv"); }),
                       "/no/such.csv"));
}

TEST(DelimitedText, SaysWhereARecordIsBroken) {
  EXPECT_TRUE(contains(error_of([] { rows_of("a,b\n1,2\n3,\"x\n"); }),
                       "t.csv:3: a quote is opened here"));
  EXPECT_TRUE(contains(error_of([] { rows_of("a,b\n1,\"x\"y\n"); }),
                       "t.csv:2: there is text behind a closing quote"));
  EXPECT_TRUE(contains(error_of([] { read_text("a,b\n1,2\n1,2,3\n"); }),
                       "t.csv:3: expected 2 fields"));
}

TEST(DelimitedText, LinesCountWhatFieldsHold) {
  const DelimitedText text("t.csv", "a,b\n\"1\n1\",2\n\n3,4\n");
  RecordReader records(text);
  std::vector<std::string_view> fields;
  ASSERT_TRUE(records.next(fields));
  EXPECT_EQ(records.record_line(), 2);
  ASSERT_TRUE(records.next(fields));
  EXPECT_EQ(records.record_line(), 5);
}

TEST(DelimitedText, ManyFieldsWithDoubledQuotesStayApart) {
  std::string header = "c0";
  std::string row = "\"0\"\"\"";
  for (int i = 1; i < 200; ++i) {
    header += ",c" + std::to_string(i);
    row += ",\"" + std::to_string(i) + "\"\"\"";
  }
  const Rows rows = rows_of(header + "\n" + row + "\n");
  ASSERT_EQ(rows.size(), 1u);
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(rows[0][static_cast<size_t>(i)], std::to_string(i) + "\"");
  }
}

}  // namespace
}  // namespace ordered_gnn::data
