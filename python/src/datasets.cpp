#include "datasets.h"

#include <ATen/Functions.h>

#include "bindings.h"
#include "data/formats/feature_rows.h"
#include "data/formats/npz/dataset.h"
#include "data/tables/column_json.h"
#include "data/tables/import.h"
#include "lab/runs/run_splits.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/make_dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::python {

namespace py = pybind11;

TreatmentChoice treatment_from(const py::dict& values) {
  DataOptions options;
  apply_json(data_option_table(), from_python(values), options);
  return options.treatment;
}

namespace {

DatasetHandle held(NodeDataset data) {
  return std::make_shared<NodeDataset>(std::move(data));
}

RunOptions run_options_of(const py::dict& values) {
  return run_options_from_layers({from_python(values)});
}

// As `ognn train` and `ognn predict` read data.
DatasetHandle load(const py::dict& values, bool for_training) {
  RunOptions options = run_options_of(values);
  const py::gil_scoped_release parallel;
  return held(for_training ? lab::load_for_training(options)
                           : load_dataset(options.data));
}

std::vector<Split> splits_from(const py::list& parts) {
  std::vector<Split> splits;
  for (const py::handle& part : parts) {
    const auto nodes = part.cast<std::vector<at::Tensor>>();
    splits.push_back({nodes.at(0), nodes.at(1), nodes.at(2)});
  }
  return splits;
}

NodeFeatures sparse_features(const py::tuple& parts) {
  SparseRows rows{parts[0].cast<at::Tensor>(), parts[1].cast<at::Tensor>(),
                  parts[2].cast<at::Tensor>()};
  return NodeFeatures::sparse(std::move(rows), parts[3].cast<int64_t>());
}

// Arrays in memory, see make_dataset(). Columns say what features were made of.
DatasetHandle from_arrays(const at::Tensor& edge_index,
                          const py::object& features, const py::object& given,
                          const py::dict& about) {
  const at::Tensor labels = tensor_or_none(given);
  ArrayOptions options;
  options.name = about["name"].cast<std::string>();
  options.node_names = about["node_names"].cast<std::vector<std::string>>();
  options.class_names = about["class_names"].cast<std::vector<std::string>>();
  options.treatment = treatment_from(about["treatment"].cast<py::dict>());
  options.undirected = about["undirected"].cast<bool>();
  options.edge_weights = tensor_or_none(about["edge_weights"]);
  options.splits = splits_from(about["splits"].cast<py::list>());
  options.split_set = about["split_set"].cast<std::string>();
  options.split_seed = about["split_seed"].cast<uint64_t>();
  const auto names = about["feature_names"].cast<std::vector<std::string>>();
  const std::vector<Column> columns =
      data::columns_from_json(from_python(about["columns"]));
  if (!columns.empty() && !options.treatment.features) {
    options.treatment.features = Treatment::Features::raw;
  }
  const at::Tensor edges = edge_index.t();
  const bool is_dense = !py::isinstance<py::tuple>(features);
  const at::Tensor dense =
      is_dense ? features.cast<at::Tensor>() : at::Tensor();
  NodeFeatures rows;
  if (!is_dense) rows = sparse_features(features.cast<py::tuple>());
  const py::gil_scoped_release parallel;
  // Features of a table are stored as a file of it stores them.
  if (is_dense && !columns.empty()) rows = data::features_from_dense(dense);
  NodeDataset data = is_dense && columns.empty()
                         ? make_dataset(edges, dense, labels, options)
                         : make_dataset(edges, rows, labels, options);
  if (data.treatment.features != Treatment::Features::identity) {
    data.feature_names = names;
    data.columns = columns;
  }
  return held(std::move(data));
}

data::ImportOptions import_options(const py::dict& values) {
  data::ImportOptions options;
  const auto text = [&](const char* key) {
    return values.contains(key) ? values[key].cast<std::string>() : "";
  };
  options.nodes = text("nodes");
  options.edges = text("edges");
  options.name = text("name");
  options.id = text("id");
  options.label = text("label");
  options.unlabelled = text("unlabelled");
  options.drop = values["drop"].cast<std::vector<std::string>>();
  for (const auto& [name, kind] : values["column"].cast<py::dict>()) {
    options.asked[name.cast<std::string>()] =
        data::parse_asked_kind(kind.cast<std::string>());
  }
  options.edge_columns.source = text("source");
  options.edge_columns.target = text("target");
  options.edge_columns.weight = text("weight");
  options.edge_columns.unknown = values["skip_unknown"].cast<bool>()
                                     ? data::UnknownEnds::skip
                                     : data::UnknownEnds::error;
  if (!values["undirected"].is_none()) {
    options.undirected = values["undirected"].cast<bool>();
  }
  return options;
}

// Writes what `ognn data import` writes.
std::vector<std::string> import_to(const py::dict& values,
                                   const std::string& file) {
  data::ImportOptions options = import_options(values);
  options.with_features = false;
  const py::gil_scoped_release parallel;
  const RawDataset raw = data::import_tables(options);
  data::write_npz_dataset(file, raw);
  return raw.provenance.notes;
}

// Ends of the messages, [2, E], in the order of Graph::in().
at::Tensor edge_index_of(const NodeDataset& data) {
  const Adjacency& in = data.graph.in();
  const at::Tensor degree = in.rowptr.diff();
  const at::Tensor receivers =
      at::arange(data.num_nodes(), at::kLong).repeat_interleave(degree);
  return at::stack({in.col.to(at::kLong), receivers});
}

// Dense values as they are stored; of sparse ones rowptr, col, value, width.
py::object features_of(const NodeDataset& data) {
  const NodeFeatures& features = data.features;
  if (features.kind() == NodeFeatures::Kind::dense) {
    return py::cast(features.dense_values());
  }
  const SparseRows& rows = features.rows();
  return py::make_tuple(rows.rowptr, rows.col, rows.value,
                        features.num_features());
}

py::list splits_of(const NodeDataset& data) {
  py::list out;
  for (const Split& split : data.splits) {
    out.append(py::make_tuple(split.train, split.val, split.test));
  }
  return out;
}

py::dict treatment_of(const NodeDataset& data) {
  const Treatment& how = data.treatment;
  py::dict out;
  out["direction"] = to_string(how.direction);
  out["self_loops"] = to_string(how.self_loops);
  out["features"] = to_string(how.features);
  out["edge_weights"] = to_string(how.edge_weights);
  return out;
}

void bind_dataset_class(py::module_& module) {
  using Data = NodeDataset;
  py::class_<Data, DatasetHandle>(
      module, "Dataset",
      "A graph with features, labels and splits, ready for a model; "
      "immutable.\n\nlabels [N] int64, -1: none. edge_index [2, E]: who sends "
      "to whom after the treatment. features [N, F] float32, or of sparse ones "
      "rowptr [N + 1], col, value and F.")
      .def_readonly("name", &Data::name)
      .def_readonly("labels", &Data::labels)
      .def_readonly("num_classes", &Data::num_classes)
      .def_readonly("split_set", &Data::split_set)
      .def_readonly("node_names", &Data::node_names)
      .def_readonly("class_names", &Data::class_names)
      .def_readonly("feature_names", &Data::feature_names)
      .def_property_readonly("num_nodes", &Data::num_nodes)
      .def_property_readonly(
          "num_edges", [](const Data& data) { return data.graph.num_edges(); })
      .def_property_readonly(
          "num_features",
          [](const Data& data) { return data.features.num_features(); })
      .def_property_readonly(
          "features_kind",
          [](const Data& data) { return to_string(data.features.kind()); })
      .def_property_readonly("features", &features_of)
      .def_property_readonly("edge_index", &edge_index_of)
      .def_property_readonly(
          "edge_weight", [](const Data& data) { return data.graph.weights(); })
      .def_property_readonly("splits", &splits_of)
      .def_property_readonly("treatment", &treatment_of)
      .def_property_readonly(
          "columns",
          [](const Data& data) {
            return to_python(data::columns_json(data.columns));
          })
      .def_property_readonly(
          "notes", [](const Data& data) { return data.provenance.notes; })
      .def_property_readonly("fingerprint", [](const Data& data) {
        return data.provenance.fingerprint;
      });
}

}  // namespace

void bind_datasets(py::module_& module) {
  bind_dataset_class(module);
  module.def("load_dataset", &load);
  module.def("make_dataset", &from_arrays);
  module.def("import_tables", &import_to);
}

}  // namespace ordered_gnn::python
