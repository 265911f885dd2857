#include "data/tables/label_reader.h"

#include <gtest/gtest.h>

#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

using Names = std::vector<std::string>;
using Classes = std::vector<int64_t>;

struct Read {
  LabelReader::Labels labels;
  std::vector<std::string> notes;
};

Read read_labels(const Names& cells, const KnownClasses& known = {},
                 const std::string& unlabelled = "") {
  LabelReader reader(unlabelled);
  int64_t line = 1;
  for (const std::string& cell : cells) reader.add(cell, ++line);
  Read out;
  out.labels = reader.finish("l.csv", known, out.notes);
  return out;
}

TEST(LabelReader, OnlyAnEmptyCellIsNoLabel) {
  const Read read = read_labels({"-1", "1", "", "-1"});
  EXPECT_EQ(read.labels.by_row, (Classes{0, 1, -1, 0}));
  EXPECT_EQ(read.labels.class_names, (Names{"-1", "1"}));
  EXPECT_TRUE(any_contains(read.notes, "--unlabelled -1"));
  const Read told = read_labels({"-1", "1", "", "2"}, {}, "-1");
  EXPECT_EQ(told.labels.by_row, (Classes{-1, 0, -1, 1}));
  EXPECT_TRUE(told.notes.empty());
}

TEST(LabelReader, CodesAreCompactedAndKeepTheirNames) {
  const Read read = read_labels({"2000", "1000", "2000"});
  EXPECT_EQ(read.labels.num_classes, 2);
  EXPECT_EQ(read.labels.by_row, (Classes{1, 0, 1}));
  EXPECT_EQ(read.labels.class_names, (Names{"1000", "2000"}));
  // In the order of numbers, not of texts.
  EXPECT_EQ(read_labels({"10", "9", "1"}).labels.class_names,
            (Names{"1", "9", "10"}));
  EXPECT_TRUE(read_labels({"1", "0", "2"}).labels.class_names.empty());
  EXPECT_EQ(read_labels({"NA", "no", "yes"}).labels.class_names,
            (Names{"NA", "no", "yes"}));
}

TEST(LabelReader, WhatLooksLikeAQuantityIsSaid) {
  Names many;
  for (int i = 0; i < 101; ++i) many.push_back("c" + std::to_string(i));
  EXPECT_TRUE(any_contains(read_labels(many).notes, "regression"));
  many.pop_back();
  EXPECT_TRUE(read_labels(many).notes.empty());
  Names fractions;
  for (int i = 0; i < 30; ++i) fractions.push_back(std::to_string(0.5 + i));
  EXPECT_TRUE(any_contains(read_labels(fractions).notes, "regression"));
}

TEST(LabelReader, KnownClassesDecide) {
  const KnownClasses names{{"no", "yes"}, std::nullopt};
  EXPECT_EQ(read_labels({"yes", "", "yes"}, names).labels.by_row,
            (Classes{1, -1, 1}));
  EXPECT_EQ(read_labels({"1", "0"}, names).labels.by_row, (Classes{1, 0}));
  EXPECT_TRUE(contains(error_of([&] {
                         read_labels({"yes", "ja"}, names);
                       }),
                       "l.csv:3: unknown class 'ja'"));
  const KnownClasses five{{}, 5};
  EXPECT_EQ(read_labels({"3", "0"}, five).labels.num_classes, 5);
  EXPECT_TRUE(contains(error_of([&] { read_labels({"5"}, five); }),
                       "l.csv:2: expected a class in [0, 5), got '5'"));
  EXPECT_TRUE(
      contains(error_of([&] { read_labels({"-1"}, five); }), "an empty cell"));
}

}  // namespace
}  // namespace ordered_gnn::data
