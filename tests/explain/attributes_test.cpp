#include "ordered_gnn/explain/attributes.h"

#include <gtest/gtest.h>

#include "explain/column_text.h"
#include "explained_data.h"
#include "support/errors.h"
#include "support/features.h"
#include "support/graphs.h"

namespace ordered_gnn::explain {
namespace {

Column column_of(const std::string& name, ColumnKind kind, int64_t first,
                 int64_t count) {
  Column column;
  column.name = name;
  column.kind = kind;
  column.first_feature = first;
  column.num_features = count;
  return column;
}

TEST(ColumnText, NumbersAreInTheirOwnUnit) {
  Column column = column_of("age", ColumnKind::number, 0, 1);
  column.mean = 40;
  column.deviation = 10;
  EXPECT_EQ(column_text(column, {0.2f}), "42");
  EXPECT_EQ(column_text(column, {-4.5f}), "-5");
  column.mean = 3e7;
  EXPECT_EQ(column_text(column, {0}), "30000000");
  column.log_scaled = true;
  column.mean = std::log1p(1000.0);
  column.deviation = 2;
  EXPECT_EQ(column_text(column, {0}), "1000");
  column.mean = -std::log1p(50.0);
  EXPECT_EQ(column_text(column, {0}), "-50");
}

TEST(ColumnText, ValuesAreByName) {
  Column column = column_of("colour", ColumnKind::category, 0, 4);
  column.categories = {"blue", "red"};
  column.has_other = true;
  column.flags_missing = true;
  EXPECT_EQ(column_text(column, {0, 1, 0, 0}), "red");
  EXPECT_EQ(column_text(column, {0, 0, 1, 0}), "another value");
  EXPECT_EQ(column_text(column, {0, 0, 0, 1}), "missing");
  EXPECT_EQ(column_text(column, {0, 0, 0, 0}), "none");
  column = column_of("member", ColumnKind::yes_no, 0, 1);
  column.categories = {"nein", "ja"};
  EXPECT_EQ(column_text(column, {0}), "nein");
  EXPECT_EQ(column_text(column, {1}), "ja");
  EXPECT_EQ(column_text(column, {0.5f}), "missing");
}

TEST(ColumnText, DatesAreDates) {
  Column column = column_of("joined", ColumnKind::date, 0, 3);
  const auto text = [&](double day) {
    column.mean = day;
    return column_text(column, {0, 0, 1});
  };
  EXPECT_EQ(text(0), "1970-01-01");
  EXPECT_EQ(text(-1), "1969-12-31");
  EXPECT_EQ(text(19782), "2024-02-29");
  EXPECT_EQ(text(19783), "2024-03-01");
  EXPECT_EQ(text(11016), "2000-02-29");
  EXPECT_EQ(text(-719468), "0000-03-01");
  EXPECT_EQ(text(-25508), "1900-03-01");
  EXPECT_EQ(text(1e9), "1000000000 days");
}

TEST(Attributes, AreColumnsFeatureNamesOrNumbers) {
  NodeDataset data = explained_data(star(4));
  EXPECT_EQ(attributes_of(data)[4].name, "feature 4");
  data.feature_names = {"a", "b", "c", "d", "e"};
  EXPECT_EQ(attributes_of(data)[1].name, "b");
  data.columns = {column_of("size", ColumnKind::number, 0, 1),
                  column_of("remark", ColumnKind::text, 1, 0),
                  column_of("when", ColumnKind::date, 1, 4)};
  const std::vector<Attribute> got = attributes_of(data);
  ASSERT_EQ(got.size(), 2u);
  EXPECT_EQ(got[1].name, "when");
  EXPECT_EQ(got[1].first_feature, 1);
  EXPECT_EQ(got[1].column, 2);
  data.features = NodeFeatures::identity(4);
  EXPECT_TRUE(attributes_of(data).empty());
}

TEST(Attributes, ThatDoNotFitTheFeaturesAreRefused) {
  NodeDataset data = explained_data(star(4));
  data.feature_names = {"a"};
  EXPECT_TRUE(contains(error_of([&] { attributes_of(data); }),
                       "1 names of 5 features"));
  data.columns = {column_of("size", ColumnKind::number, 0, 1)};
  EXPECT_TRUE(contains(error_of([&] { attributes_of(data); }),
                       "make 1 features, its nodes have 5"));
  data.columns = {column_of("size", ColumnKind::number, 2, 5)};
  EXPECT_TRUE(contains(error_of([&] { attributes_of(data); }),
                       "'size' begins at feature 2, expected 0"));
}

TEST(Attributes, TextsAreInUnitsOnlyWhereFeaturesAreUntouched) {
  NodeDataset data = explained_data(star(3));
  const at::Tensor values =
      torch::tensor({{0.5f, 0.f}, {0.f, 1.f}, {2.f, 0.f}});
  data.columns = {column_of("age", ColumnKind::number, 0, 1),
                  column_of("plan", ColumnKind::category, 1, 1)};
  data.columns[0].mean = 30;
  data.columns[0].deviation = 4;
  data.columns[1].categories = {"gold"};
  for (const NodeFeatures& features :
       {NodeFeatures::dense(values), sparse_from(values)}) {
    data.features = features;
    data.treatment.features = Treatment::Features::raw;
    const std::vector<Attribute> attributes = attributes_of(data);
    EXPECT_EQ(attribute_text(data, attributes[0], 0), "32");
    EXPECT_EQ(attribute_text(data, attributes[0], 1), "30");
    EXPECT_EQ(attribute_text(data, attributes[1], 1), "gold");
    EXPECT_EQ(attribute_text(data, attributes[1], 2), "none");
    data.treatment.features = Treatment::Features::row_normalized;
    EXPECT_EQ(attribute_text(data, attributes[0], 0), "0.5");
    EXPECT_EQ(attribute_text(data, {"both", 0, 2, -1}, 1), "0, 1");
  }
}

}  // namespace
}  // namespace ordered_gnn::explain
