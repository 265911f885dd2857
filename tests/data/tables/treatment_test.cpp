#include "data/tables/treatment.h"

#include <ATen/Functions.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "data/tables/column_json.h"
#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

at::Tensor features_of(const Table& table, const std::vector<Column>& columns,
                       MissingColumns policy = MissingColumns::error) {
  std::vector<std::string> notes;
  return apply_columns(table, columns, policy, notes);
}

float value(const at::Tensor& features, int64_t row, int64_t column) {
  return features[row][column].item<float>();
}

TEST(FitColumns, NumbersGetMeanZeroAndDeviationOne) {
  const Table table = read_text("n,x\n1,2\n2,4\n3,6\n4,8\n").table;
  const std::vector<Column> columns = fit_columns(table);
  EXPECT_EQ(columns[1].mean, 5);
  EXPECT_NEAR(columns[1].deviation, std::sqrt(5.0), 1e-12);
  const at::Tensor x = features_of(table, columns).select(1, 1);
  EXPECT_NEAR(x.mean().item<double>(), 0, 1e-6);
  EXPECT_NEAR(value(features_of(table, columns), 0, 1), -3 / std::sqrt(5.0),
              1e-6);
}

TEST(FitColumns, LongTailsAreLogScaled) {
  std::string text = "n,x\n";
  for (int i = 0; i < 400; ++i) {
    text += fmt::format("{},{}\n", i, std::exp(0.03 * i));
  }
  const Column column = fit_columns(read_text(text).table)[1];
  EXPECT_TRUE(column.log_scaled);
  // A tail to negative values has no logarithm of its own.
  std::string mixed = text;
  mixed.replace(mixed.find("0,1\n"), 4, "0,-1\n");
  EXPECT_FALSE(fit_columns(read_text(mixed).table)[1].log_scaled);
}

// Counts with an exponential tail, of a skewness a little above 2.
TEST(FitColumns, CountsStayInProportion) {
  std::string text = "n,x\n";
  constexpr int kRows = 4000;
  for (int i = 0; i < kRows; ++i) {
    text +=
        fmt::format("{},{}\n", i, std::floor(-2 * std::log((i + 0.5) / kRows)));
  }
  EXPECT_FALSE(fit_columns(read_text(text).table)[1].log_scaled);
}

TEST(FitColumns, MissingValuesAreFilledAndFlagged) {
  const Table table = read_text("n,x\n1,1\n2,\n3,3\n4,8\n").table;
  const std::vector<Column> columns = fit_columns(table);
  EXPECT_EQ(columns[1].fill, 3);
  EXPECT_EQ(columns[1].num_features, 2);
  const at::Tensor x = features_of(table, columns);
  EXPECT_EQ(value(x, 1, 1), value(x, 2, 1));
  EXPECT_EQ(value(x, 1, 2), 1);
  EXPECT_EQ(value(x, 2, 2), 0);
}

TEST(FitColumns, MediansOfManyValuesAreExact) {
  for (const double centre : {0.0, -3.0, 1e9}) {
    TableColumn column;
    for (int i = 0; i < 100001; ++i) {
      column.numbers.push_back(centre + (i * 7919 % 100001) * 0.25 - 12500);
    }
    std::vector<double> sorted = column.numbers;
    std::sort(sorted.begin(), sorted.end());
    const Table table{100001, {column}};
    EXPECT_EQ(fit_columns(table)[0].fill, sorted[50000]);
  }
}

TEST(FitColumns, RareValuesAreOther) {
  std::string text = "n,x\n";
  for (int i = 0; i < 20; ++i) {
    text += fmt::format("{},{}\n", i, i < 9 ? "b" : i < 18 ? "a" : "rare");
  }
  const Table table = read_text(text).table;
  const std::vector<Column> columns = fit_columns(table);
  EXPECT_EQ(columns[1].categories, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(columns[1].has_other);
  const at::Tensor x = features_of(table, columns);
  EXPECT_EQ(value(x, 0, 2), 1);   // b
  EXPECT_EQ(value(x, 19, 3), 1);  // other
  EXPECT_EQ(x[19].slice(0, 1).sum().item<float>(), 1);
  EXPECT_EQ(
      feature_names(columns),
      (std::vector<std::string>{"n", "x = a", "x = b", "x is another value"}));
}

TEST(FitColumns, DatesAreDaysAndSeasons) {
  const Table table = read_text("n,x\n1,2024-01-01\n2,2024-07-01\n").table;
  const std::vector<Column> columns = fit_columns(table);
  EXPECT_EQ(columns[1].num_features, 3);
  const at::Tensor x = features_of(table, columns);
  EXPECT_NEAR(value(x, 0, 1), -1, 1e-5);
  EXPECT_NEAR(value(x, 0, 3), 1, 1e-5);
  EXPECT_LT(value(x, 1, 3), -0.99);
}

TEST(FitColumns, AConstantColumnIsZero) {
  const Table table = read_text("n,x\n1,0.1\n2,0.1\n3,0.1\n").table;
  const at::Tensor x = features_of(table, fit_columns(table));
  EXPECT_NEAR(x.select(1, 1).abs().max().item<double>(), 0, 1e-7);
}

TEST(FitColumns, NumbersThatCannotBeScaledAreRefused) {
  EXPECT_TRUE(contains(
      error_of([] {
        fit_columns(read_text("n,x\n1,1e308\n2,-1e308\n3,1.5e308\n").table);
      }),
      "column 'x' has numbers that are too large"));
  const std::vector<Column> columns =
      fit_columns(read_text("n,x\n1,1\n2,2\n").table);
  EXPECT_TRUE(contains(error_of([&] {
                         features_of(read_text("n,x\n1,1e300\n2,2\n").table,
                                     columns);
                       }),
                       "column 'x', row 1: 1e+300 is too far"));
}

TEST(ApplyColumns, ColumnsAreMatchedByName) {
  const std::vector<Column> columns =
      fit_columns(read_text("a,b\n1,10\n2,20\n4,40\n").table);
  const at::Tensor one = features_of(read_text("a,b\n2,10\n").table, columns);
  const at::Tensor two = features_of(read_text("b,a\n10,2\n").table, columns);
  EXPECT_TRUE(one.equal(two));
}

TEST(ApplyColumns, MissingAndExtraColumnsAreNamed) {
  const std::vector<Column> columns =
      fit_columns(read_text("a,b\n1,10\n2,20\n4,40\n").table);
  const Table other = read_text("a,c\n3,5\n4,7\n").table;
  const std::string message = error_of([&] { features_of(other, columns); });
  EXPECT_TRUE(contains(message, "missing: 'b'"));
  EXPECT_TRUE(contains(message, "does not know: 'c'"));
  EXPECT_TRUE(contains(message, "--missing-columns fill"));
  std::vector<std::string> notes;
  const at::Tensor x =
      apply_columns(other, columns, MissingColumns::fill, notes);
  EXPECT_EQ(x.size(1), 2);
  EXPECT_TRUE(any_contains(notes, "'b'"));
}

TEST(ApplyColumns, KindsThatStillFitAreTaken) {
  // Only 0 and 1 occur in the new table: still a number.
  const std::vector<Column> columns =
      fit_columns(read_text("n,x\n1,0\n2,1\n3,5\n").table);
  const Table table = read_text("n,x\n1,0\n2,1\n").table;
  ASSERT_EQ(table.columns[1].kind, ColumnKind::yes_no);
  const at::Tensor x = features_of(table, columns);
  EXPECT_NEAR(value(x, 1, 1), (1 - columns[1].mean) / columns[1].deviation,
              1e-6);
  EXPECT_TRUE(contains(
      error_of([&] {
        features_of(read_text("n,x\n1,a\n2,a\n3,b\n4,b\n").table, columns);
      }),
      "column 'x' holds category here, but the model was trained on number"));
}

TEST(ApplyColumns, UnseenValuesAreSaid) {
  const std::vector<Column> columns =
      fit_columns(read_text("n,x\n1,a\n2,a\n3,a\n4,b\n5,b\n6,b\n").table);
  std::vector<std::string> notes;
  const at::Tensor x = apply_columns(read_text("n,x\n1,c\n2,c\n").table,
                                     columns, MissingColumns::error, notes);
  EXPECT_EQ(x.slice(1, 1).abs().sum().item<float>(), 0);
  EXPECT_TRUE(any_contains(notes, "not in training"));
}

TEST(Columns, ComeBackFromJson) {
  const std::vector<Column> columns = fit_columns(
      read_text("n,x,d,y\n1,a,2024-01-01,yes\n2,a,,no\n3,a,2024-02-01,\n")
          .table);
  const std::vector<Column> again = columns_from_json(columns_json(columns));
  ASSERT_EQ(again.size(), columns.size());
  EXPECT_EQ(columns_json(again), columns_json(columns));
  for (size_t i = 0; i < columns.size(); ++i) {
    EXPECT_EQ(again[i].first_feature, columns[i].first_feature);
    EXPECT_EQ(again[i].num_features, columns[i].num_features);
  }
}

TEST(Columns, DamagedJsonIsRefused) {
  using nlohmann::json;
  const auto error = [](const json& list) {
    return error_of([&] { columns_from_json(list); });
  };
  EXPECT_TRUE(contains(error(json::object()), "expected a list"));
  EXPECT_TRUE(contains(error({{{"name", "x"}}}), "entry 0"));
  EXPECT_TRUE(contains(error({{{"name", "x"},
                               {"kind", "number"},
                               {"mean", 0},
                               {"deviation", 0},
                               {"fill", 0}}}),
                       "deviation is not above 0"));
  EXPECT_TRUE(
      contains(error({{{"name", "x"}, {"kind", "yes_no"}}}), "two categories"));
  for (const char* key : {"mean", "fill"}) {
    json date = {{"name", "x"},
                 {"kind", "date"},
                 {"mean", 0},
                 {"deviation", 1e300},
                 {"fill", 0}};
    date[key] = 9223372036854775807;
    EXPECT_TRUE(contains(error(json::array({date})), "are not days")) << key;
  }
}

}  // namespace
}  // namespace ordered_gnn::data
