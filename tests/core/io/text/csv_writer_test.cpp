#include "core/io/text/csv_writer.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::core {
namespace {

// One line of these fields.
std::string line_of(const std::vector<std::string>& fields,
                    FormulaText formulas = FormulaText::kept) {
  std::string text;
  CsvWriter csv(text, formulas);
  for (const std::string& field : fields) csv.field(field);
  csv.end_line();
  csv.finish();
  return text;
}

TEST(CsvWriter, QuotesWhatWouldBeReadOtherwise) {
  EXPECT_EQ(line_of({"a", "b c", ""}), "a,b c,\n");
  EXPECT_EQ(line_of({"a,b", "c"}), "\"a,b\",c\n");
  EXPECT_EQ(line_of({"say \"hi\"", "\""}), "\"say \"\"hi\"\"\",\"\"\"\"\n");
  EXPECT_EQ(line_of({"two\nlines", "\r"}), "\"two\nlines\",\"\r\"\n");
}

TEST(CsvWriter, LeavesEverythingElseAsItIs) {
  EXPECT_EQ(line_of({"=1+1", "+2", "-3", "@x", " blanks ", "Zürich", "'"}),
            "=1+1,+2,-3,@x, blanks ,Zürich,'\n");
}

TEST(CsvWriter, GuardsTextsThatASpreadsheetWouldRun) {
  for (const std::string text :
       {"=1+1", "+49 30", "-x", "@home", "\t=1", "-inf", "-5-5"}) {
    EXPECT_EQ(line_of({text}, FormulaText::guarded), "'" + text + "\n");
  }
  // Quoted besides, the guard within.
  EXPECT_EQ(line_of({"\r=1"}, FormulaText::guarded), "\"'\r=1\"\n");
  EXPECT_EQ(line_of({"=\"a\",b"}, FormulaText::guarded), "\"'=\"\"a\"\",b\"\n");
}

TEST(CsvWriter, LeavesNumbersAndOtherTextsUnguarded) {
  for (const char* text : {"-5", "+5", "-0.25", "-.5", "1e-3", "-1e+30", "a=b",
                           "-", "'", "'quoted'", " =1", "", "±3"}) {
    EXPECT_EQ(line_of({text, "x"}, FormulaText::guarded),
              std::string(text) + ",x\n");
  }
}

TEST(CsvWriter, AGuardCanBeTakenOffAgain) {
  for (const char* text : {"=x", "'=x", "''=x", "'x", "x", "-5", "'-5"}) {
    std::string read = line_of({text, ""}, FormulaText::guarded);
    read.resize(read.size() - 2);
    const size_t first = read.find_first_not_of('\'');
    if (first > 0 && first != std::string::npos &&
        std::string("=+-@\t\r\n").find(read[first]) != std::string::npos) {
      read.erase(0, 1);
    }
    EXPECT_EQ(read, text);
  }
}

TEST(CsvWriter, CountsWhatItGuards) {
  std::string text;
  CsvWriter csv(text, FormulaText::guarded);
  csv.field("=1+1");
  csv.field(int64_t{-7});
  csv.field(-0.5);
  csv.field("-7");
  csv.field("@a");
  csv.end_line();
  csv.finish();
  EXPECT_EQ(csv.num_guarded(), 2);
  EXPECT_EQ(text, "'=1+1,-7,-0.5,-7,'@a\n");
}

TEST(CsvWriter, ALineOfOneEmptyFieldIsStillALine) {
  EXPECT_EQ(line_of({""}), "\"\"\n");
  EXPECT_EQ(line_of({"", ""}), ",\n");
  EXPECT_EQ(line_of({"", "", "x"}), ",,x\n");
}

TEST(CsvWriter, NumbersReadBackOrHaveTheDigitsAskedFor) {
  std::string text;
  CsvWriter csv(text);
  csv.field(int64_t{-7});
  csv.field(0.1f);
  csv.field(1.0 / 3, 7);
  csv.field(1e-12, 7);
  csv.end_line();
  csv.finish();
  EXPECT_EQ(text, "-7,0.1,0.3333333,1e-12\n");
}

// The buffer has 65536 bytes; texts end before, at and behind every bound.
TEST(CsvWriter, TextsOfAnyLengthComeOutWhole) {
  for (const size_t size : {65494u, 65495u, 65496u, 65497u, 65535u, 65536u,
                            65537u, 131072u, 200000u}) {
    const std::string plain(size, 'x');
    EXPECT_EQ(line_of({plain, "y"}), plain + ",y\n") << size;
    const std::string quotes(size, '"');
    EXPECT_EQ(line_of({quotes, ""}), "\"" + quotes + quotes + "\",\n") << size;
  }
  std::string many;
  CsvWriter csv(many);
  std::string expected;
  for (int64_t i = 0; i < 30000; ++i) {
    csv.field(i);
    csv.field("a,b");
    csv.end_line();
    expected += std::to_string(i) + ",\"a,b\"\n";
  }
  csv.finish();
  EXPECT_EQ(many, expected);
}

TEST(CsvWriter, AFileAppearsWhenItIsFinished) {
  const TempDir dir;
  {
    CsvWriter abandoned(dir / "t.csv");
    abandoned.field("x");
    abandoned.end_line();
  }
  EXPECT_TRUE(dir.names().empty());
  CsvWriter csv(dir / "t.csv");
  csv.field("x");
  csv.end_line();
  csv.finish();
  EXPECT_EQ(read_file(dir / "t.csv"), "x\n");
  EXPECT_TRUE(
      contains(error_of([&] { const CsvWriter lost(dir / "none" / "t.csv"); }),
               "t.csv"));
}

}  // namespace
}  // namespace ordered_gnn::core
