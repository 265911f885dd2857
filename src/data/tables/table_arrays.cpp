#include "data/tables/table_arrays.h"

#include <ATen/Functions.h>

#include <cmath>
#include <string_view>
#include <vector>

#include "core/io/json_numbers.h"
#include "data/tables/cells.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

using nlohmann::json;

constexpr const char* kNumbers = "table_numbers";
constexpr const char* kCodes = "table_codes";

template <typename T>
std::string_view bytes_of(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()),
          values.size() * sizeof(T)};
}

at::Tensor read_rows(const core::NpzReader& archive, const char* name,
                     at::ScalarType type, int64_t rows, int64_t num_nodes) {
  const at::Tensor values = archive.read(name);
  if (values.dim() != 2 || values.size(0) != rows ||
      values.size(1) != num_nodes || values.scalar_type() != type) {
    fail_in(archive.path(),
            fmt::format("{}: expected {} columns of {} values as meta.json "
                        "states",
                        name, rows, num_nodes));
  }
  return values.contiguous();
}

void check_codes(const core::NpzReader& archive, const TableColumn& column) {
  const auto limit = static_cast<int32_t>(column.values.size());
  for (const int32_t code : column.codes) {
    if (code >= -1 && code < limit) continue;
    fail_in(archive.path(),
            fmt::format("{}: column '{}' has the code {}, but {} values",
                        kCodes, column.name, code, limit));
  }
}

void check_days(const core::NpzReader& archive, const TableColumn& column) {
  if (column.kind != ColumnKind::date) return;
  for (size_t row = 0; row < column.numbers.size(); ++row) {
    const double days = column.numbers[row];
    if (std::isnan(days) || is_day(days)) continue;
    fail_in(archive.path(),
            fmt::format("{}: column '{}', row {}: {} is no date in days since "
                        "1970-01-01",
                        kNumbers, column.name, row, days));
  }
}

}  // namespace

json table_json(const Table& table) {
  json out = json::array();
  for (const TableColumn& column : table.columns) {
    json entry = {{"name", column.name}, {"kind", to_string(column.kind)}};
    if (column.has_words()) entry["values"] = column.values;
    if (column.num_distinct > 0) entry["distinct"] = column.num_distinct;
    if (column.num_missing > 0) entry["missing"] = column.num_missing;
    out.push_back(std::move(entry));
  }
  return out;
}

void add_table(core::NpzWriter& archive, const Table& table) {
  std::vector<std::string_view> numbers;
  std::vector<std::string_view> codes;
  for (const TableColumn& column : table.columns) {
    if (holds_numbers(column.kind)) numbers.push_back(bytes_of(column.numbers));
    if (column.has_words()) codes.push_back(bytes_of(column.codes));
  }
  archive.add_rows(kNumbers, at::kDouble, table.num_rows, numbers);
  archive.add_rows(kCodes, at::kInt, table.num_rows, codes);
}

Table read_table_arrays(const core::NpzReader& archive, const json& list,
                        int64_t num_rows) {
  Table table;
  table.num_rows = num_rows;
  int64_t num_numbers = 0;
  int64_t num_codes = 0;
  std::vector<bool> in_codes;
  for (const json& entry : list) {
    TableColumn column;
    column.name = entry.at("name").get<std::string>();
    column.kind = parse_column_kind(entry.at("kind").get<std::string>());
    column.num_distinct = core::whole_number_or(0, entry, "distinct");
    column.num_missing = core::whole_number_or(0, entry, "missing");
    if (entry.contains("values") && !holds_numbers(column.kind)) {
      column.values = entry.at("values").get<std::vector<std::string>>();
      ++num_codes;
    }
    if (holds_numbers(column.kind)) ++num_numbers;
    in_codes.push_back(entry.contains("values") && !holds_numbers(column.kind));
    table.columns.push_back(std::move(column));
  }
  const at::Tensor numbers =
      read_rows(archive, kNumbers, at::kDouble, num_numbers, num_rows);
  const at::Tensor codes =
      read_rows(archive, kCodes, at::kInt, num_codes, num_rows);
  const double* number = numbers.data_ptr<double>();
  const int32_t* code = codes.data_ptr<int32_t>();
  for (size_t i = 0; i < table.columns.size(); ++i) {
    TableColumn& column = table.columns[i];
    if (holds_numbers(column.kind)) {
      column.numbers.assign(number, number + num_rows);
      number += num_rows;
      check_days(archive, column);
    } else if (in_codes[i]) {
      column.codes.assign(code, code + num_rows);
      code += num_rows;
      check_codes(archive, column);
    }
  }
  return table;
}

}  // namespace ordered_gnn::data
