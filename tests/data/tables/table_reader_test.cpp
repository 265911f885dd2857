#include "data/tables/table_reader.h"

#include <gtest/gtest.h>

#include <cmath>

#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

using Cells = std::vector<std::string>;

const TableColumn& kind_of(const ReadTable& read) { return read.column("x"); }

ReadTable read_cells(const Cells& cells) {
  return read_text(one_column(cells));
}

TEST(TableReader, RecognisesKinds) {
  EXPECT_EQ(kind_of(read_cells({"1", "2.5", "NA", ""})).kind,
            ColumnKind::number);
  EXPECT_EQ(kind_of(read_cells({"2024-01-01", "", "2024-02-02"})).kind,
            ColumnKind::date);
  EXPECT_EQ(kind_of(read_cells({"yes", "No", "N/A", "yes"})).kind,
            ColumnKind::yes_no);
  EXPECT_EQ(kind_of(read_cells({"0", "1", "1"})).kind, ColumnKind::yes_no);
  EXPECT_EQ(kind_of(read_cells({"red", "blue", "red", "blue"})).kind,
            ColumnKind::category);
  EXPECT_EQ(kind_of(read_cells({"anna", "bert", "carl"})).kind,
            ColumnKind::text);
  EXPECT_EQ(kind_of(read_cells({"", ""})).kind, ColumnKind::text);
}

TEST(TableReader, KeepsValuesInTheUsersUnits) {
  const ReadTable read = read_cells({"3", "?", "-1.5"});
  const TableColumn& column = kind_of(read);
  EXPECT_EQ(column.numbers[0], 3);
  EXPECT_TRUE(std::isnan(column.numbers[1]));
  EXPECT_EQ(column.numbers[2], -1.5);
  EXPECT_EQ(column.num_missing, 1);
  const ReadTable words = read_cells({"b", "", "a", "b", "a", "NA", "NA"});
  EXPECT_EQ(kind_of(words).values, (Cells{"b", "a", "NA"}));
  EXPECT_EQ(kind_of(words).codes, (std::vector<int32_t>{0, -1, 1, 0, 1, 2, 2}));
}

TEST(TableReader, YesAndNoAreZeroAndOneHoweverTheyAreSpelled) {
  const ReadTable read = read_cells({"TRUE", "false", "null", "true"});
  EXPECT_EQ(kind_of(read).codes, (std::vector<int32_t>{1, 0, -1, 1}));
  EXPECT_EQ(kind_of(read).num_missing, 1);
  // Two words for yes are no pair.
  EXPECT_EQ(
      kind_of(read_cells({"yes", "true", "no", "yes", "true", "no"})).kind,
      ColumnKind::category);
}

TEST(TableReader, ALaterCellChangesTheGuess) {
  Cells cells(3000, "7");
  cells[2500] = "seven";
  const ReadTable read = read_cells(cells);
  EXPECT_EQ(kind_of(read).kind, ColumnKind::category);
  EXPECT_EQ(kind_of(read).codes.size(), 3000u);
  EXPECT_TRUE(any_contains(read.notes, "for 'seven' in line 2502"));
  cells = Cells(3000, "01/02/2024");
  cells[2999] = "12/31/2024";
  const ReadTable dates = read_cells(cells);
  EXPECT_EQ(kind_of(dates).kind, ColumnKind::date);
  EXPECT_EQ(date_text(kind_of(dates).numbers[0]), "2024-01-02");
}

TEST(TableReader, SaysHowAmbiguousDatesAreRead) {
  const ReadTable read = read_cells({"01/02/2024", "03/04/2024"});
  EXPECT_EQ(date_text(kind_of(read).numbers[0]), "2024-02-01");
  EXPECT_TRUE(any_contains(read.notes, "day, month, year"));
  TableRequest request;
  request.asked["x"] = parse_asked_kind("date:mdy");
  const ReadTable asked =
      read_text(one_column({"01/02/2024", "03/04/2024"}), request);
  EXPECT_EQ(date_text(kind_of(asked).numbers[0]), "2024-01-02");
}

TEST(TableReader, TakesDecimalCommas) {
  const ReadTable read = read_text("n;x\n1;2,5\n2;3\n");
  EXPECT_EQ(kind_of(read).numbers, (std::vector<double>{2.5, 3}));
  EXPECT_TRUE(any_contains(read.notes, "comma stands before the fraction"));
}

TEST(TableReader, WhatIsAskedForIsTaken) {
  TableRequest request;
  request.asked["x"] = parse_asked_kind("number");
  const ReadTable read = read_text(one_column({"1", "two", "3"}), request);
  EXPECT_TRUE(std::isnan(kind_of(read).numbers[1]));
  EXPECT_TRUE(any_contains(read.notes, "1 cells are no number"));
  EXPECT_TRUE(any_contains(read.notes, "line 3: 'two'"));
  request.asked["x"] = parse_asked_kind("category");
  EXPECT_EQ(kind_of(read_text(one_column({"1", "2"}), request)).kind,
            ColumnKind::category);
  request.asked["x"] = parse_asked_kind("yes_no");
  EXPECT_TRUE(contains(error_of([&] {
                         read_text(one_column({"a", "b"}), request);
                       }),
                       "column 'x' is asked to be yes_no, but has 'a'"));
  EXPECT_TRUE(contains(error_of([] { parse_asked_kind("numbr"); }),
                       "did you mean 'number'"));
}

TEST(TableReader, MostlyNumbersAreToldApart) {
  const ReadTable read = read_cells({"1", "2", "1", "2", "x", "x"});
  EXPECT_EQ(kind_of(read).kind, ColumnKind::category);
  EXPECT_TRUE(any_contains(read.notes, "some of its cells are no numbers"));
}

TEST(TableReader, LeavesOutColumnsAndFeedsSinks) {
  struct Collected : CellSink {
    void add(std::string_view cell, int64_t line) override {
      cells.push_back(std::to_string(line) + ":" + std::string(cell));
    }
    std::vector<std::string> cells;
  } ids;
  TableRequest request;
  request.sinks[0] = &ids;
  request.drop = {"x"};
  const ReadTable read = read_text("id,x,y\na,1,2\nb,3,4\n", request);
  EXPECT_EQ(ids.cells, (Cells{"2:a", "3:b"}));
  ASSERT_EQ(read.table.columns.size(), 1u);
  EXPECT_EQ(read.table.columns[0].name, "y");
  request.drop = {"z"};
  EXPECT_TRUE(contains(error_of([&] { read_text("id,x\n1,2\n", request); }),
                       "unknown column 'z'"));
}

}  // namespace
}  // namespace ordered_gnn::data
