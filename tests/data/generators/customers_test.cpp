#include "data/generators/customers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "data/generators/synthetic.h"
#include "data/tables/table_support.h"

namespace ordered_gnn::data {
namespace {

CustomerOptions few(int64_t customers, uint64_t seed = 0) {
  CustomerOptions options;
  options.customers = customers;
  options.seed = seed;
  return options;
}

TEST(Customers, HaveColumnsOfEveryKind) {
  const ReadTable read = read_text(generate_customers(few(1000)).customers);
  EXPECT_EQ(read.table.num_rows, 1000);
  EXPECT_EQ(read.column("age").kind, ColumnKind::number);
  EXPECT_EQ(read.column("plan").kind, ColumnKind::category);
  EXPECT_EQ(read.column("joined").kind, ColumnKind::date);
  EXPECT_EQ(read.column("autopay").kind, ColumnKind::yes_no);
  EXPECT_EQ(read.column("remark").kind, ColumnKind::text);
  EXPECT_GT(read.column("satisfaction").num_missing, 100);
  EXPECT_EQ(read.column("age").num_missing, 0);
}

TEST(Customers, AreTheSameForASeedAndOthersForAnother) {
  const CustomerTables one = generate_customers(few(200));
  EXPECT_EQ(generate_customers(few(200)).customers, one.customers);
  EXPECT_EQ(generate_customers(few(200)).calls, one.calls);
  EXPECT_NE(generate_customers(few(200, 1)).customers, one.customers);
}

TEST(Customers, TakeSettingsAndRefuseOthers) {
  EXPECT_EQ(parse_customers("customers?customers=300&seed=4")->customers, 300);
  EXPECT_FALSE(parse_customers("csbm?nodes=3").has_value());
  EXPECT_TRUE(contains(error_of([] { parse_customers("customers?sed=4"); }),
                       "did you mean 'seed'"));
  EXPECT_TRUE(contains(error_of([] { generate_customers(few(10)); }),
                       "'customers' takes an integer from 100"));
  EXPECT_TRUE(
      contains(error_of([] { generate_synthetic("synthetic:customers"); }),
               "ognn data import"));
}

}  // namespace
}  // namespace ordered_gnn::data
