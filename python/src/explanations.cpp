#include <ATen/Functions.h>

#include "bindings.h"
#include "datasets.h"
#include "lab/page/explained_model.h"
#include "lab/page/explanation_json.h"
#include "lab/page/explanation_page.h"
#include "lab/page/run_page.h"
#include "lab/report/page.h"
#include "training.h"

namespace ordered_gnn::python {
namespace {

namespace py = pybind11;

// The page and the JSON object of `ognn explain`.
py::tuple explain_from_python(const Trained& trained, const DatasetHandle& data,
                              const std::vector<int64_t>& nodes, int64_t split,
                              int64_t importance, const py::object& file,
                              bool page) {
  lab::ExplainOptions options;
  options.nodes = nodes;
  options.split = split;
  options.listed_nodes = page;
  options.importance = importance > 0;
  if (importance > 0) options.importance_attributes = importance;
  const std::string path = path_text(file);
  std::string html;
  Json json;
  {
    const py::gil_scoped_release parallel;
    const NodeDataset matched =
        match_classes(trained, match_features(trained, *data)).data;
    const lab::ExplainedModel model =
        lab::explain_checkpoint(trained, matched, path, options);
    if (page) html = lab::html_page(lab::explanation_page(model));
    json = to_json(model);
  }
  return py::make_tuple(html, to_python(json));
}

template <typename T>
at::Tensor tensor_of(const std::vector<T>& values, at::ScalarType type) {
  at::Tensor out =
      at::empty({static_cast<int64_t>(values.size())}, at::dtype(type));
  std::copy(values.begin(), values.end(), out.data_ptr<T>());
  return out;
}

py::list parts_of(const NodeTable& table) {
  static const char* const kNames[] = {"none", "train", "val", "test"};
  py::list out;
  for (const NodePart part : table.part) {
    out.append(kNames[static_cast<size_t>(part)]);
  }
  return out;
}

// What is known of every node, see NodeTable: arrays [N], hop shares [N, K + 1]
// and shares of open gates [N, layers]; None where there are none.
py::dict describe_from_python(const Trained& trained, const DatasetHandle& data,
                              int64_t split) {
  NodeTable table;
  {
    const py::gil_scoped_release parallel;
    const NodeDataset matched =
        match_classes(trained, match_features(trained, *data)).data;
    table = describe_nodes(*trained.model, matched, split);
  }
  const int64_t nodes = table.num_nodes();
  const auto rows = [&](const std::vector<float>& values) -> at::Tensor {
    if (values.empty()) return {};
    return tensor_of(values, at::kFloat).reshape({nodes, -1});
  };
  py::dict out;
  out["label"] = tensor_of(table.label, at::kLong);
  out["predicted"] = tensor_of(table.predicted, at::kLong);
  out["confidence"] = tensor_of(table.confidence, at::kFloat);
  out["degree"] = tensor_of(table.degree, at::kLong);
  out["homophily"] = tensor_of(table.homophily, at::kFloat);
  out["part"] = parts_of(table);
  out["hop_shares"] = rows(table.hop_shares);
  out["open_gates"] = rows(table.open_gates);
  return out;
}

}  // namespace

void bind_explanations(py::module_& module) {
  module.def("explain", &explain_from_python);
  module.def("describe_nodes", &describe_from_python);
  module.def("run_page", [](const py::object& folder) {
    const std::string path = path_text(folder);
    const py::gil_scoped_release parallel;
    return lab::html_page(lab::run_page(path));
  });
}

}  // namespace ordered_gnn::python
