#include <fmt/format.h>

#include "core/io/json_reader.h"
#include "core/names.h"
#include "lab/reproduce/plan.h"
#include "lab/reproduce/report.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::lab {
namespace {

constexpr const char* kRemarksKey = "remarks";

const Json& as_object(const Json& value, const std::string& what) {
  if (value.is_object()) return value;
  fail("{} must be an object, not {}", what, value.type_name());
}

std::map<std::string, std::string> column_reasons(const Json& columns,
                                                  const std::string& row) {
  std::map<std::string, std::string> reasons;
  for (const auto& [column, text] : columns.items()) {
    if (is_comment_key(column)) continue;
    if (!text.is_string()) {
      fail("the reason for {}, {} must be a text, not {}", row, column,
           text.type_name());
    }
    reasons[column] = text.get<std::string>();
  }
  return reasons;
}

std::vector<std::string> remarks_about(const std::string& experiment,
                                       const Json& list) {
  if (!list.is_array()) {
    fail("the remarks about {} must be a list of texts, not {}", experiment,
         list.type_name());
  }
  std::vector<std::string> remarks;
  for (const Json& text : list) {
    if (!text.is_string()) {
      fail("a remark about {} must be a text, not {}", experiment,
           text.type_name());
    }
    remarks.push_back(text.get<std::string>());
  }
  return remarks;
}

// Calls visit(name, value) for every entry, whose key must be an experiment.
template <typename Visit>
void for_experiments(const Json& experiments, const Visit& visit) {
  for (const auto& [name, value] : experiments.items()) {
    if (is_comment_key(name)) continue;
    core::parse_name("experiment", name, experiment_names());
    visit(name, value);
  }
}

Commentary commentary_of(Json whole) {
  as_object(whole, "the whole of it");
  Commentary commentary;
  const auto remarks = whole.find(kRemarksKey);
  if (remarks != whole.end()) {
    for_experiments(as_object(*remarks, kRemarksKey),
                    [&](const std::string& name, const Json& list) {
                      commentary.remarks[name] = remarks_about(name, list);
                    });
    whole.erase(remarks);
  }
  for_experiments(whole, [&](const std::string& name, const Json& rows) {
    for (const auto& [row, columns] : as_object(rows, name).items()) {
      if (is_comment_key(row)) continue;
      commentary.reasons[name][row] =
          column_reasons(as_object(columns, row), row);
    }
  });
  return commentary;
}

}  // namespace

Commentary read_commentary(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / kReasonsFile;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return {};
  return core::reading(file,
                       [&] { return commentary_of(core::read_json(file)); });
}

}  // namespace ordered_gnn::lab
