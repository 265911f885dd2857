#include <utility>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/names.h"
#include "data/tables/cells.h"
#include "data/tables/column_json.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

using nlohmann::json;

const std::vector<std::string>& kind_names() {  // by ColumnKind
  static const std::vector<std::string> names = {"number", "category", "yes_no",
                                                 "date", "text"};
  return names;
}

Column column_from(const json& entry) {
  Column column;
  column.name = entry.at("name").get<std::string>();
  column.kind = parse_column_kind(entry.at("kind").get<std::string>());
  if (entry.contains("mean")) {
    column.mean = core::real_number(entry, "mean");
    column.deviation = core::real_number(entry, "deviation");
    column.fill = core::real_number(entry, "fill");
    column.log_scaled = entry.value("log_scaled", false);
    if (column.deviation <= 0) fail("deviation is not above 0");
    if (column.kind == ColumnKind::date &&
        (!data::is_day(column.mean) || !data::is_day(column.fill))) {
      fail("mean {} and fill {} of dates are not days since 1970-01-01",
           column.mean, column.fill);
    }
  }
  column.flags_missing = entry.value("flags_missing", false);
  if (entry.contains("categories")) {
    column.categories = entry.at("categories").get<std::vector<std::string>>();
  }
  column.has_other = entry.value("has_other", false);
  if (column.kind == ColumnKind::yes_no && column.categories.size() != 2) {
    fail("a yes_no column has two categories");
  }
  return column;
}

int64_t count_features(const Column& column) {
  int64_t count = 0;
  switch (column.kind) {
    case ColumnKind::number:
    case ColumnKind::yes_no:
      count = 1;
      break;
    case ColumnKind::category:
      count = static_cast<int64_t>(column.categories.size()) +
              (column.has_other ? 1 : 0);
      break;
    case ColumnKind::date:
      count = 3;
      break;
    case ColumnKind::text:
      return 0;
  }
  return count + (column.flags_missing ? 1 : 0);
}

void add_names(const Column& column, std::vector<std::string>& names) {
  switch (column.kind) {
    case ColumnKind::number:
      names.push_back(column.name);
      break;
    case ColumnKind::yes_no:
      names.push_back(
          fmt::format("{} = {}", column.name, column.categories.at(1)));
      break;
    case ColumnKind::category:
      for (const std::string& value : column.categories) {
        names.push_back(fmt::format("{} = {}", column.name, value));
      }
      if (column.has_other) names.push_back(column.name + " is another value");
      break;
    case ColumnKind::date:
      names.push_back(column.name + " (days)");
      names.push_back(column.name + " (sine of the day of the year)");
      names.push_back(column.name + " (cosine of the day of the year)");
      break;
    case ColumnKind::text:
      return;
  }
  if (column.flags_missing) names.push_back(column.name + " is missing");
}

}  // namespace

std::string to_string(ColumnKind kind) {
  return kind_names()[static_cast<size_t>(kind)];
}

ColumnKind parse_column_kind(const std::string& name) {
  return core::parse_enum<ColumnKind>("kind of column", name, kind_names());
}

std::vector<std::string> feature_names(const std::vector<Column>& columns) {
  std::vector<std::string> names;
  for (const Column& column : columns) add_names(column, names);
  return names;
}

json data::columns_json(const std::vector<Column>& columns) {
  json out = json::array();
  for (const Column& column : columns) {
    json entry = {{"name", column.name}, {"kind", to_string(column.kind)}};
    const bool has_scale =
        column.kind == ColumnKind::number || column.kind == ColumnKind::date;
    if (has_scale) {
      entry["mean"] = column.mean;
      entry["deviation"] = column.deviation;
      entry["fill"] = column.fill;
      entry["log_scaled"] = column.log_scaled;
    }
    if (!column.categories.empty()) entry["categories"] = column.categories;
    if (column.has_other) entry["has_other"] = true;
    if (column.flags_missing) entry["flags_missing"] = true;
    out.push_back(std::move(entry));
  }
  return out;
}

std::vector<Column> data::columns_from_json(const json& list) {
  std::vector<Column> columns;
  try {
    if (!list.is_array()) fail("expected a list");
    for (const json& entry : list) columns.push_back(column_from(entry));
  } catch (const json::exception& error) {
    fail("columns, entry {}: {}", columns.size(), core::json_reason(error));
  } catch (const Error& error) {
    fail("columns, entry {}: {}", columns.size(), error.what());
  }
  place_features(columns);
  return columns;
}

void data::place_features(std::vector<Column>& columns) {
  int64_t next = 0;
  for (Column& column : columns) {
    column.num_features = count_features(column);
    column.first_feature = next;
    next += column.num_features;
  }
}

}  // namespace ordered_gnn
