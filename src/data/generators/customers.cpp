#include "data/generators/customers.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/io/text/csv_writer.h"
#include "data/generators/random_streams.h"
#include "data/tables/cells.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kCircleSize = 50;
constexpr int64_t kCallsEach = 4;
constexpr double kWithinCircle = 0.7;
constexpr double kChurn = 0.35;      // share of customers
constexpr double kFirstDay = 16436;  // 2015-01-01
constexpr double kDays = 3652;

// A row of a hundred characters, calls of twenty, and what was drawn.
constexpr int64_t kBytesPerCustomer = 100 + 20 * kCallsEach / 2 + 80;

struct Named {
  const char* name;
  double share;   // of customers
  double effect;  // on leaving
};

constexpr std::array<Named, 7> kPlans = {{{"basic", 0.45, 0.6},
                                          {"plus", 0.30, 0.0},
                                          {"pro", 0.14, -0.5},
                                          {"family", 0.09, -0.8},
                                          {"trial, 30 days", 0.018, 1.0},
                                          {"legacy", 0.0015, 0.0},
                                          {"staff", 0.0005, -1.0}}};
constexpr std::array<Named, 8> kRegions = {{{"north", 0.2, 0.3},
                                            {"south", 0.2, -0.3},
                                            {"east", 0.15, 0.0},
                                            {"west", 0.15, 0.2},
                                            {"centre", 0.12, -0.4},
                                            {"coast", 0.1, 0.5},
                                            {"hills", 0.05, 0.0},
                                            {"islands", 0.03, -0.6}}};

template <size_t N>
const Named& drawn(const std::array<Named, N>& all, RandomStream& random) {
  double left = random.uniform();
  for (const Named& entry : all) {
    left -= entry.share;
    if (left < 0) return entry;
  }
  return all.front();
}

struct Customer {
  double age, income, joined, last_contact, tickets, satisfaction, risk;
  const Named* plan;
  const Named* region;
  bool autopay;
};

Customer draw_customer(double circle, RandomStream& random) {
  Customer c{};
  c.age = std::clamp(std::round(45 + 14 * random.normal()), 18.0, 95.0);
  c.income = std::round(std::exp(10.3 + 0.7 * random.normal()));
  c.plan = &drawn(kPlans, random);
  c.region = &drawn(kRegions, random);
  c.joined = std::floor(kFirstDay + kDays * random.uniform());
  c.last_contact = std::floor(kFirstDay + kDays + 400 * random.uniform() - 400);
  c.autopay = random.uniform() < 0.6;
  c.tickets = std::floor(-2 * std::log(1 - random.uniform()));
  c.satisfaction = std::clamp(std::round(6.5 + 2 * random.normal()), 1.0, 10.0);
  const double years = (kFirstDay + kDays - c.joined) / 365;
  c.risk = 1.2 * circle - 0.5 * (c.satisfaction - 6.5) / 2 +
           0.4 * (c.tickets - 1.5) - 0.6 * (c.autopay ? 1 : 0) -
           0.15 * (years - 5) + c.plan->effect + c.region->effect -
           0.3 * (std::log(c.income) - 10.3) + 0.4 * season_of(c.joined).first +
           0.8 * random.normal();
  return c;
}

std::string name_of(int64_t customer) {
  return fmt::format("c{:06}", customer + 1);
}

void write_number(core::CsvWriter& out, double value, bool gap) {
  if (gap) {
    out.field("");
  } else {
    out.field(static_cast<int64_t>(value));
  }
}

std::string customer_table(const std::vector<Customer>& customers,
                           double leaves_above,
                           const CustomerOptions& options) {
  RandomStream random = stream_for(options.seed, Draw::labels);
  std::string text;
  core::CsvWriter out(text);
  for (const char* name :
       {"customer", "age", "income", "plan", "region", "joined", "last_contact",
        "autopay", "tickets", "satisfaction", "remark", "churn"}) {
    out.field(name);
  }
  out.end_line();
  const auto gap = [&] { return random.uniform() < options.gaps; };
  for (size_t i = 0; i < customers.size(); ++i) {
    const Customer& c = customers[i];
    out.field(name_of(static_cast<int64_t>(i)));
    write_number(out, c.age, false);
    write_number(out, c.income, gap());
    out.field(gap() ? "" : c.plan->name);
    out.field(c.region->name);
    out.field(date_text(c.joined));
    out.field(gap() ? std::string() : date_text(c.last_contact));
    out.field(c.autopay ? "yes" : "no");
    write_number(out, c.tickets, false);
    write_number(out, c.satisfaction, gap());
    out.field(fmt::format("called {} times, \"no. {}\"", c.tickets, i));
    const bool known = random.uniform() < options.labelled;
    out.field(!known ? "" : c.risk > leaves_above ? "yes" : "no");
    out.end_line();
  }
  out.finish();
  return text;
}

std::string call_table(const std::vector<int64_t>& circle,
                       const CustomerOptions& options) {
  std::vector<std::vector<int64_t>> members(
      static_cast<size_t>(*std::max_element(circle.begin(), circle.end()) + 1));
  for (size_t i = 0; i < circle.size(); ++i) {
    members[static_cast<size_t>(circle[i])].push_back(static_cast<int64_t>(i));
  }
  RandomStream random = stream_for(options.seed, Draw::edges);
  std::string text;
  core::CsvWriter out(text);
  for (const char* name : {"from", "to", "minutes"}) out.field(name);
  out.end_line();
  for (size_t i = 0; i < circle.size(); ++i) {
    const auto& own = members[static_cast<size_t>(circle[i])];
    for (int64_t call = 0; call < kCallsEach; ++call) {
      const bool within = random.uniform() < kWithinCircle;
      const int64_t other =
          within ? own[random.below(own.size())]
                 : static_cast<int64_t>(random.below(circle.size()));
      const double minutes = std::exp(1.5 + random.normal());
      if (other == static_cast<int64_t>(i)) continue;
      out.field(name_of(static_cast<int64_t>(i)));
      out.field(name_of(other));
      out.field(minutes, 3);
      out.end_line();
    }
  }
  out.finish();
  return text;
}

}  // namespace

CustomerTables generate_customers(const CustomerOptions& options) {
  check_options(customer_option_table(), options);
  require_memory(kBytesPerCustomer * options.customers, "customers",
                 fmt::format("a table of {} rows", options.customers));
  RandomStream circles = stream_for(options.seed, Draw::class_means);
  RandomStream random = stream_for(options.seed, Draw::features);
  const int64_t num_circles =
      std::max<int64_t>(2, options.customers / kCircleSize);
  std::vector<double> mood;
  for (int64_t k = 0; k < num_circles; ++k) mood.push_back(circles.normal());
  std::vector<int64_t> circle;
  std::vector<Customer> customers;
  std::vector<double> risks;
  for (int64_t i = 0; i < options.customers; ++i) {
    circle.push_back(static_cast<int64_t>(
        circles.below(static_cast<uint64_t>(num_circles))));
    customers.push_back(
        draw_customer(mood[static_cast<size_t>(circle.back())], random));
    risks.push_back(customers.back().risk);
  }
  const auto cut =
      risks.begin() + static_cast<std::ptrdiff_t>(
                          (1 - kChurn) * static_cast<double>(risks.size()));
  std::nth_element(risks.begin(), cut, risks.end());
  return {customer_table(customers, *cut, options),
          call_table(circle, options)};
}

}  // namespace ordered_gnn::data
