#include "bindings.h"
#include "conversions.h"
#include "data/tables/column_json.h"
#include "data/tables/delimited_text.h"
#include "data/tables/table_reader.h"
#include "data/tables/treatment.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

// A DataFrame as CSV text is read and treated as a file of `ognn data import`
// is: there is one way from a table to features.
data::Table table_from(const std::string& text, const py::dict& kinds,
                       std::vector<std::string>& notes) {
  data::TableRequest request;
  for (const auto& [name, kind] : kinds) {
    request.asked[name.cast<std::string>()] =
        data::parse_asked_kind(kind.cast<std::string>());
  }
  const data::DelimitedText read("DataFrame", text);
  return data::read_table(read, request, notes);
}

// Fits the treatment of all columns.
py::list fit_columns(const std::string& text, const py::dict& kinds) {
  std::vector<std::string> notes;
  const data::Table table = table_from(text, kinds, notes);
  const std::vector<Column> columns = data::fit_columns(table);
  if (feature_names(columns).empty()) {
    throw Error(
        "no column of the DataFrame makes a feature; columns={'NAME': 'KIND'} "
        "says what a column is");
  }
  return to_python(data::columns_json(columns)).cast<py::list>();
}

// Features [N, F], their names, and what was filled or never seen.
py::tuple apply_columns(const std::string& text, const py::list& json,
                        bool fills) {
  std::vector<Column> columns = data::columns_from_json(from_python(json));
  data::place_features(columns);
  std::vector<std::string> notes;
  const data::Table table = table_from(text, py::dict(), notes);
  notes.clear();  // what the table looks like by itself; the columns decide
  const at::Tensor features = data::apply_columns(
      table, columns, fills ? MissingColumns::fill : MissingColumns::error,
      notes);
  return py::make_tuple(features, feature_names(columns), notes);
}

}  // namespace

void bind_tables(py::module_& module) {
  module.def("fit_columns", &fit_columns);
  module.def("apply_columns", &apply_columns);
}

}  // namespace ordered_gnn::python
