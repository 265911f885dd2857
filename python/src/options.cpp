#include "bindings.h"
#include "conversions.h"
#include "core/names.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

const char* kind_text(OptionKind kind) {
  return core::word_of(kind, {{OptionKind::flag, "bool"},
                              {OptionKind::integer, "int"},
                              {OptionKind::real, "float"},
                              {OptionKind::text, "str"}});
}

// A row of the one table of options; help as the command's.
py::dict described(const Option<RunOptions>& row, const RunOptions& defaults) {
  const OptionSpec& spec = row.spec;
  py::dict out;
  out["name"] = spec.name;
  out["group"] = spec.group;
  out["help"] = spec.help;
  out["kind"] = kind_text(spec.kind);
  out["choices"] = spec.choices;
  out["values"] = describe_values(spec);
  out["default"] = to_python(row.get(defaults));
  out["execution_only"] = spec.execution_only;
  return out;
}

py::list option_table() {
  const RunOptions defaults = default_options();
  py::list table;
  for (const Option<RunOptions>& row : run_option_table()) {
    table.append(described(row, defaults));
  }
  return table;
}

py::list models() {
  py::list table;
  for (const ModelEntry& entry : model_table()) {
    py::dict out;
    out["name"] = entry.name;
    out["summary"] = entry.summary;
    out["paper"] = entry.paper;
    out["reads"] = entry.reads;
    out["defaults"] = to_python(entry.defaults);
    out["is_per_node"] =
        is_per_node(entry.name, default_options(entry.name).network);
    table.append(out);
  }
  return table;
}

py::list named() {
  py::list table;
  for (const NamedDataset& entry : named_datasets()) {
    py::dict out;
    out["name"] = entry.name;
    out["summary"] = entry.summary;
    out["format"] = entry.format;
    table.append(out);
  }
  return table;
}

}  // namespace

void bind_options(py::module_& module) {
  module.def("option_table", &option_table);
  module.def("models", &models);
  module.def("named_datasets", &named);
  module.def("default_options", [](const std::string& model) {
    return to_python(to_json(default_options(model)));
  });
  module.def("effective_options", [](const py::dict& values) {
    const RunOptions options = run_options_from_layers({from_python(values)});
    validate(options);
    return to_python(to_json(options));
  });
}

}  // namespace ordered_gnn::python
