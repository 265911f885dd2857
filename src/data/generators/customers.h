#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::data {

/// Customers of a company that does not exist, for trying out what begins with
/// tables.
struct CustomerOptions {
  int64_t customers = 5000;
  double labelled = 0.6;  ///< share of customers whose churn is known
  double gaps = 0.15;     ///< share of missing cells in columns that have some
  uint64_t seed = 0;
};
const std::vector<Option<CustomerOptions>>& customer_option_table();

/// Two tables as a user has them.
struct CustomerTables {
  /// customer, age, income, plan, region, joined, last_contact, autopay,
  /// tickets, satisfaction, remark, churn: numbers with and without a long
  /// tail, categories with rare values, dates, yes and no, gaps, free text.
  std::string customers;
  std::string calls;  ///< from, to, minutes
};

/// Whether a customer leaves depends on most columns, on the season of joining
/// and on the circle that the customer belongs to, which shows in the calls
/// alone: 7 of 10 stay within the circle.
CustomerTables generate_customers(const CustomerOptions& options);

}  // namespace ordered_gnn::data
