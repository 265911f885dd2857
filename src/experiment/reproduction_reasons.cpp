#include <fmt/format.h>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/core/names.h"
#include "ordered_gnn/experiment/reproduction.h"
#include "ordered_gnn/experiment/reproduction_report.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kMostReasonBytes = int64_t{1} << 24;

bool is_comment(const std::string& key) { return key.rfind("//", 0) == 0; }

const Json& as_object(const Json& value, const std::string& what) {
  if (value.is_object()) return value;
  fail("{} must be an object, not {}", what, value.type_name());
}

std::map<std::string, std::string> column_reasons(const Json& columns,
                                                  const std::string& row) {
  std::map<std::string, std::string> reasons;
  for (const auto& [column, text] : columns.items()) {
    if (is_comment(column)) continue;
    if (!text.is_string()) {
      fail("the reason for {}, {} must be a text, not {}", row, column,
           text.type_name());
    }
    reasons[column] = text.get<std::string>();
  }
  return reasons;
}

ShortfallReasons reasons_of(const Json& experiments) {
  ShortfallReasons reasons;
  for (const auto& [name, rows] :
       as_object(experiments, "the whole of it").items()) {
    if (is_comment(name)) continue;
    parse_name("experiment", name, experiment_names());
    for (const auto& [row, columns] : as_object(rows, name).items()) {
      if (is_comment(row)) continue;
      reasons[name][row] = column_reasons(as_object(columns, row), row);
    }
  }
  return reasons;
}

}  // namespace

ShortfallReasons read_reasons(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kReasonsFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  const std::string text = read_file(file, kMostReasonBytes);
  try {
    return reasons_of(Json::parse(text));
  } catch (const Json::parse_error& error) {
    fail_in(file, fmt::format("is no JSON: {}", error.what()));
  } catch (const Error& error) {
    fail_in(file, error.what());
  }
}

}  // namespace ordered_gnn
