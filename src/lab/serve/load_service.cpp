#include "lab/serve/load_service.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include "core/io/sha256.h"
#include "data/class_names.h"
#include "lab/serve/state_folder.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::lab {

namespace fs = std::filesystem;

std::shared_ptr<const ServedModel> load_served_model(
    const fs::path& checkpoint, const ExecutionOptions& execution) {
  const std::string fingerprint = core::sha256_of_file(checkpoint);
  Trained trained = load_trained(checkpoint);
  if (core::sha256_of_file(checkpoint) != fingerprint) {
    fail_in(checkpoint, "was replaced while it was read; try again");
  }
  PredictionOptions options = prediction_options(trained);
  options.execution = execution;
  std::vector<std::string> classes =
      data::all_class_names(trained.class_names, trained.shape.num_classes);
  return std::make_shared<const ServedModel>(ServedModel{
      {std::move(trained), options}, fingerprint, std::move(classes)});
}

LoadedGraph load_served_graph(const ServedModel& model, const fs::path& data) {
  const Trained& trained = model.model.trained();
  const DataOptions how = data_for(trained, data.string());
  const RawDataset raw = resolve_dataset(how);
  const NodeDataset prepared =
      prepare(raw, resolve_treatment(how.treatment, raw));
  const FoundData fitting =
      match_classes(trained, match_features(trained, prepared));
  return {{raw, fitting.data}, graph_identity(raw)};
}

namespace {

bool same_treatment(const Trained& a, const Trained& b) {
  const TreatmentChoice &one = a.options.data.treatment,
                        &other = b.options.data.treatment;
  return one.direction == other.direction &&
         one.self_loops == other.self_loops && one.features == other.features &&
         one.edge_weights == other.edge_weights;
}

}  // namespace

void require_successor(const ServedModel& before, const ServedModel& after,
                       const data::LiveGraph& graph,
                       const fs::path& checkpoint) {
  const Trained& old = before.model.trained();
  const Trained& trained = after.model.trained();
  if (after.class_names != before.class_names) {
    fail_in(checkpoint,
            fmt::format("has {} classes that are not the {} of the model that "
                        "is served; start a server of its own for it",
                        after.class_names.size(), before.class_names.size()));
  }
  if (!same_treatment(old, trained)) {
    fail_in(checkpoint,
            "has learnt with another treatment of its data (--direction, "
            "--self-loops, --features or --edge-weights) than the model that "
            "is served; start a server of its own for it");
  }
  after.model.require_fit(graph, checkpoint);
}

Json file_marks(const fs::path& data) {
  struct stat found {};
  if (::stat(data.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) {
    return nullptr;
  }
  return {{"name", data.filename().string()},
          {"bytes", found.st_size},
          {"changed", fmt::format("{}.{:09}", found.st_mtim.tv_sec,
                                  found.st_mtim.tv_nsec)}};
}

}  // namespace ordered_gnn::lab
