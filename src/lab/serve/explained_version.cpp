#include <torch/types.h>

#include "core/out_of_memory.h"
#include "explain/heard_graph.h"
#include "lab/serve/served_version.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/explain/attributes.h"

namespace ordered_gnn::lab {

std::shared_ptr<const ExplainedVersion> explained_version(
    const ServedVersion& version) {
  const training::LiveModel& model = version.model->model;
  const Trained& trained = model.trained();
  const ThreadScope threads(model.options().execution.threads);
  auto out = std::make_shared<ExplainedVersion>();
  out->sequence = version.sequence;
  out->model = version.model;
  out->graph = version.graph;
  core::naming_activity("explaining the graph", [&] {
    out->dataset = match_features(trained, version.graph.dataset());
    out->rows = version.graph.rows();
    require_prediction_memory(trained, out->dataset, model.options());
    ExplainedModel& explained = out->explained;
    explained.dataset = out->dataset.name;
    explained.options = trained.options;
    explained.num_features = trained.shape.num_features;
    const auto splits = static_cast<int64_t>(out->dataset.splits.size());
    explained.split = trained.result.split < splits ? trained.result.split : -1;
    explained.class_names = version.model->class_names;
    for (const int64_t row : out->rows) {
      explained.node_names.push_back(version.graph.name_of(row));
    }
    explained.network = out->dataset.graph;
    explained.heard = explain::heard_graph(*trained.model, out->dataset.graph);
    explained.attributes = attributes_of(out->dataset);
    explained.has_columns = !out->dataset.columns.empty();
    explained.graph.nodes =
        describe_nodes(*trained.model, out->dataset, explained.split);
  });
  return out;
}

}  // namespace ordered_gnn::lab
