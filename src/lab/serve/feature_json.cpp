#include "lab/serve/feature_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/io/json_numbers.h"
#include "core/names.h"
#include "data/tables/cells.h"
#include "data/tables/table.h"
#include "data/tables/treatment.h"

namespace ordered_gnn::lab {
namespace {

using data::FieldError;

std::string at_index(const std::string& field, size_t index) {
  return fmt::format("{}[{}]", field, index);
}

float feature_value(const Json& value, const std::string& field) {
  if (!value.is_number()) throw FieldError(field, "a feature is a number");
  const auto number = static_cast<float>(value.get<double>());
  if (!std::isfinite(number)) {
    throw FieldError(field, "a feature must be finite as a 32-bit float");
  }
  return number;
}

std::vector<float> listed_features(const Json& list, const std::string& field) {
  if (!list.is_array()) throw FieldError(field, "expected a list of numbers");
  std::vector<float> out;
  for (size_t i = 0; i < list.size(); ++i) {
    out.push_back(feature_value(list[i], at_index(field, i)));
  }
  return out;
}

std::vector<float> sparse_features(const Json& sparse, int64_t width,
                                   const std::string& field) {
  if (!sparse.is_object() || !sparse.contains("indices") ||
      !sparse.contains("values") || sparse.size() != 2 ||
      !sparse["indices"].is_array()) {
    throw FieldError(field, "expected an object of indices and values");
  }
  const Json& indices = sparse["indices"];
  const std::vector<float> values =
      listed_features(sparse["values"], field + ".values");
  if (indices.size() != values.size()) {
    throw FieldError(field, fmt::format("got {} indices and {} values",
                                        indices.size(), values.size()));
  }
  std::vector<float> out(static_cast<size_t>(width), 0.0f);
  std::vector<bool> is_given(out.size());
  for (size_t i = 0; i < indices.size(); ++i) {
    const std::string place = at_index(field + ".indices", i);
    if (!core::is_whole_number(indices[i], 0, width - 1)) {
      throw FieldError(place, fmt::format("features are 0 to {}", width - 1));
    }
    const auto index = indices[i].get<size_t>();
    if (is_given[index]) {
      throw FieldError(place, fmt::format("feature {} is there twice", index));
    }
    is_given[index] = true;
    out[index] = values[i];
  }
  return out;
}

[[noreturn]] void fail_unknown_column(const std::string& field,
                                      const std::string& name,
                                      const std::vector<std::string>& known) {
  throw FieldError(field + "." + name,
                   core::unknown_name_message("column", name, known));
}

// Features that have names.
std::vector<float> named_features(const Json& columns,
                                  const std::vector<std::string>& names,
                                  const std::string& field) {
  std::vector<float> out;
  for (const std::string& name : names) {
    if (!columns.contains(name)) {
      throw FieldError(field + "." + name, "this column is missing");
    }
    out.push_back(feature_value(columns[name], field + "." + name));
  }
  if (columns.size() == names.size()) return out;
  for (const auto& [name, value] : columns.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail_unknown_column(field, name, names);
    }
  }
  return out;
}

void take_word(std::string word, data::TableColumn& out) {
  if (data::is_missing_word(word)) {
    out.codes = {-1};
    return;
  }
  out.values = {std::move(word)};
  out.codes = {0};
}

double number_cell(const Json& value, ColumnKind kind,
                   const std::string& field) {
  if (value.is_null()) return data::kMissingNumber;
  // A number for a date may count from 1970, 1900 or in seconds.
  if (value.is_number() && kind != ColumnKind::date) return value.get<double>();
  double number = 0;
  const std::string text = value.is_string() ? value.get<std::string>() : "";
  const bool is_read =
      value.is_string() &&
      (kind == ColumnKind::date
           ? data::parse_date(text, data::DateOrder::year_first, number)
           : data::parse_cell_number(text, number));
  if (is_read) return number;
  if (value.is_string() && data::is_missing_word(text)) {
    return data::kMissingNumber;
  }
  throw FieldError(field, kind == ColumnKind::date
                              ? "expected a date, YYYY-MM-DD, or null"
                              : "expected a number or null");
}

// A table of one row, as one column of it.
data::TableColumn table_cell(const Column& column, const Json& value,
                             const std::string& field) {
  data::TableColumn out;
  out.name = column.name;
  out.kind = column.kind;
  if (data::holds_numbers(column.kind)) {
    out.numbers = {number_cell(value, column.kind, field)};
    return out;
  }
  if (value.is_null()) {
    out.codes = {-1};
  } else if (value.is_boolean() && column.kind == ColumnKind::yes_no) {
    out.values = column.categories;
    out.codes = {value.get<bool>() ? 1 : 0};
  } else if (value.is_string()) {
    take_word(value.get<std::string>(), out);
  } else if (value.is_number()) {
    take_word(value.dump(), out);
  } else {
    throw FieldError(field, "expected a text or null");
  }
  return out;
}

// Of a graph that was made of a table: in the user's units.
std::vector<float> table_features(const Json& cells,
                                  const std::vector<Column>& columns,
                                  const std::string& field) {
  data::Table table;
  table.num_rows = 1;
  std::vector<std::string> names;
  for (const Column& column : columns) {
    names.push_back(column.name);
    const std::string place = field + "." + column.name;
    if (cells.contains(column.name)) {
      table.columns.push_back(table_cell(column, cells[column.name], place));
    } else if (column.kind != ColumnKind::text) {
      throw FieldError(place,
                       "this column is missing; null says that its "
                       "value is");
    }
  }
  for (const auto& [name, value] : cells.items()) {
    if (std::find(names.begin(), names.end(), name) == names.end()) {
      fail_unknown_column(field, name, names);
    }
  }
  try {
    std::vector<std::string> notes;
    const at::Tensor row =
        data::apply_columns(table, columns, MissingColumns::fill, notes)
            .contiguous();
    const float* const value = row.data_ptr<float>();
    return {value, value + row.numel()};
  } catch (const FieldError&) {
    throw;
  } catch (const Error& error) {
    throw FieldError(field, error.what());
  }
}

}  // namespace

std::vector<float> features_from_json(const Json& node,
                                      const data::LiveGraph& graph,
                                      const std::string& field) {
  const bool has_list = node.contains("features");
  const bool has_columns = node.contains("columns");
  const bool has_sparse = node.contains("sparse");
  if (has_list + has_columns + has_sparse != 1) {
    throw FieldError(field,
                     "a node has one of 'features', 'columns' and 'sparse'");
  }
  if (has_list) return listed_features(node["features"], field + ".features");
  if (has_sparse) {
    return sparse_features(node["sparse"], graph.num_features(),
                           field + ".sparse");
  }
  const std::string place = field + ".columns";
  const Json& columns = node["columns"];
  if (!columns.is_object()) {
    throw FieldError(place, "expected an object of names and values");
  }
  if (!graph.columns().empty()) {
    return table_features(columns, graph.columns(), place);
  }
  if (graph.feature_names().empty()) {
    throw FieldError(place,
                     "the features of this graph have no names; give "
                     "'features' or 'sparse'");
  }
  return named_features(columns, graph.feature_names(), place);
}

}  // namespace ordered_gnn::lab
