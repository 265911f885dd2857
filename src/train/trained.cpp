#include "ordered_gnn/train/trained.h"

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/safetensors/metadata_json.h"
#include "core/io/safetensors/safetensors.h"
#include "data/tables/column_json.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/version.h"
#include "train/checkpoint.h"
#include "train/class_match.h"
#include "train/data_path.h"
#include "train/file_format.h"

namespace ordered_gnn {
namespace {

const training::FileFormat& checkpoint_format() {
  static const training::FileFormat format{"ordered_gnn checkpoint 1",
                                           "ordered_gnn checkpoint 2"};
  return format;
}

NodeFeatures::Kind parse_kind(const std::string& name) {
  for (const auto kind : {NodeFeatures::Kind::dense, NodeFeatures::Kind::sparse,
                          NodeFeatures::Kind::identity}) {
    if (to_string(kind) == name) return kind;
  }
  fail("features are dense, sparse or identity, not '{}'", name);
}

const std::string& required(const core::TensorFile& content, const char* key,
                            const std::filesystem::path& file) {
  const auto found = content.metadata.find(key);
  if (found == content.metadata.end()) {
    fail_in(file, fmt::format("no checkpoint of this program: its metadata has "
                              "no '{}'; give a model.safetensors written by "
                              "'ognn train'",
                              key));
  }
  return found->second;
}

// What a checkpoint says in one of its metadata.
class MetadataReader {
 public:
  MetadataReader(const core::TensorFile& content,
                 const std::filesystem::path& file)
      : content_(content), file_(file) {}

  // Calls use(json) for a metadata that every checkpoint has.
  template <typename Use>
  void take(const char* key, const Use& use) const {
    required(content_, key, file_);
    take_if_there(key, use);
  }

  // The same for one that may be missing: nothing is called then.
  template <typename Use>
  void take_if_there(const char* key, const Use& use) const {
    if (content_.metadata.count(key) == 0) return;
    const Json json = core::metadata_json(content_, key, file_);
    core::reading(file_, fmt::format("metadata '{}'", key), [&] { use(json); });
  }

 private:
  const core::TensorFile& content_;
  const std::filesystem::path& file_;
};

void read_settings(const Json& json, Trained& out) {
  try {
    out.options = run_options_from_json(json);
  } catch (const UsageError& error) {
    fail("its settings are not of this version: {}", error.what());
  }
}

void read_shape(const Json& json, Trained& out) {
  // Beyond this a product of two sizes could overflow.
  constexpr int64_t kMost = int64_t{1} << 38;
  out.shape.num_features = core::whole_number(json, "num_features", 0, kMost);
  out.shape.num_classes = core::whole_number(json, "num_classes", 0, kMost);
  // Checkpoints of models without parameters per node may not state it.
  out.shape.num_nodes = core::whole_number_or(0, json, "num_nodes", 0, kMost);
  out.shape.features_kind =
      parse_kind(json.at("features_kind").get<std::string>());
}

void read_class_names(const Json& json, Trained& out) {
  out.class_names = json.get<std::vector<std::string>>();
  const auto count = static_cast<int64_t>(out.class_names.size());
  if (count != 0 && count != out.shape.num_classes) {
    fail("there are {} names for {} classes", count, out.shape.num_classes);
  }
}

// What a checkpoint states of the run that made it; older ones may state
// nothing.
void read_result(const Json& json, Trained& out) {
  out.result.seed = out.options.train.seed;
  if (!json.is_object()) return;
  out.dataset = json.value("dataset", "");
  out.fingerprint = json.value("fingerprint", "");
  out.result.split = core::whole_number_or(0, json, "split");
  out.result.best_epoch = core::whole_number_or(0, json, "epoch");
  out.result.train = scores_from_json(json.at("train"));
  out.result.val = scores_from_json(json.at("val"));
  out.result.test = scores_from_json(json.at("test"));
}

void read_description(const core::TensorFile& content,
                      const std::filesystem::path& file, Trained& out) {
  const MetadataReader metadata(content, file);
  metadata.take("config", [&](const Json& json) { read_settings(json, out); });
  metadata.take("shape", [&](const Json& json) { read_shape(json, out); });
  metadata.take("class_names",
                [&](const Json& json) { read_class_names(json, out); });
  metadata.take("result", [&](const Json& json) { read_result(json, out); });
  // What the features are called and made of; older checkpoints do not say.
  metadata.take_if_there("feature_names", [&](const Json& json) {
    out.feature_names = json.get<std::vector<std::string>>();
  });
  metadata.take_if_there("columns", [&](const Json& json) {
    out.columns = data::columns_from_json(json);
  });
  metadata.take_if_there("data_path", [&](const Json& json) {
    training::read_data_path(json, file, out);
  });
  out.is_own_model = content.metadata.count("own_model") > 0;
  out.has_edge_weights = content.metadata.count("edge_weights") > 0;
  out.is_verified = content.is_verified;
}

core::TensorFile read_checkpoint(const std::filesystem::path& file,
                                 Trained& out) {
  core::TensorFile content = core::read_safetensors(file);
  required(content, "format", file);
  checkpoint_format().require(content, file);
  read_description(content, file, out);
  training::require_finite(content.tensors, file);
  return content;
}

// Sizes come from the file, so they are held against its own tensors before
// a model of that size is built.
void check_claimed_shape(const core::TensorFile& content,
                         const std::filesystem::path& file,
                         const Trained& about) {
  const nn::ShapesOnly no_memory;
  const auto model =
      create_model(about.options.model, about.shape, about.options.network,
                   about.options.train.seed);
  training::check_state(*model, content.tensors, file);
}

void require_fitting_weights(const Trained& trained, const NodeDataset& data,
                             const std::filesystem::path& where) {
  const bool is_weighted = data.graph.weights().defined();
  const bool is_meant =
      data.treatment.edge_weights == Treatment::EdgeWeights::ignore;
  if (is_weighted == trained.has_edge_weights || is_meant) return;
  if (!trained.is_own_model &&
      !why_no_weights(trained.options.model, trained.options.network).empty()) {
    return;
  }
  fail_in(where, is_weighted
                     ? fmt::format("was trained without edge weights, but '{}' "
                                   "has them; use --edge-weights ignore",
                                   data.name)
                     : fmt::format("was trained with edge weights, but '{}' "
                                   "has none; give a weight for every edge, or "
                                   "--edge-weights ignore to let every edge "
                                   "count the same",
                                   data.name));
}

// Another graph may have as many nodes: it also has another name and another
// content. The same nodes with other splits keep their name.
bool is_other_graph(const Trained& trained, const NodeDataset& data) {
  return !trained.fingerprint.empty() && !trained.dataset.empty() &&
         data.provenance.fingerprint != trained.fingerprint &&
         data.name != trained.dataset;
}

void require_own_nodes(const Trained& trained, const NodeDataset& data,
                       const std::filesystem::path& where) {
  if (trained.is_own_model ||
      !is_per_node(trained.options.model, trained.options.network)) {
    return;
  }
  if (data.num_nodes() != trained.shape.num_nodes) {
    fail_in(where,
            fmt::format("{} has parameters for the {} nodes it was trained on, "
                        "but '{}' has {}; use the same graph",
                        trained.options.model, trained.shape.num_nodes,
                        data.name, data.num_nodes()));
  }
  if (is_other_graph(trained, data)) {
    fail_in(where,
            fmt::format("{} has parameters for the nodes of '{}', which "
                        "are not those of '{}'; use the same graph",
                        trained.options.model, trained.dataset, data.name));
  }
}

}  // namespace

void training::write_checkpoint(const std::filesystem::path& file,
                                const TensorMap& state, const Trained& about) {
  core::TensorFile content;
  content.tensors = state;
  content.metadata["format"] = checkpoint_format().now;
  content.metadata["version"] = kVersion;
  content.metadata["commit"] = kCommit;
  content.metadata["config"] = to_json(about.options).dump();
  content.metadata["shape"] =
      Json{{"num_features", about.shape.num_features},
           {"num_classes", about.shape.num_classes},
           {"num_nodes", about.shape.num_nodes},
           {"features_kind", to_string(about.shape.features_kind)}}
          .dump();
  content.metadata["class_names"] = Json(about.class_names).dump();
  if (!about.feature_names.empty()) {
    content.metadata["feature_names"] = Json(about.feature_names).dump();
  }
  if (!about.columns.empty()) {
    content.metadata["columns"] = data::columns_json(about.columns).dump();
  }
  const std::string place = data_path_text(about, file);
  if (!place.empty()) content.metadata["data_path"] = place;
  content.metadata["result"] = Json{
      {"dataset", about.dataset},
      {"fingerprint", about.fingerprint},
      {"split", about.result.split},
      {"epoch", about.result.best_epoch},
      {"train", to_json(about.result.train)},
      {"val", to_json(about.result.val)},
      {"test",
       to_json(about.result.test)}}.dump();
  if (about.is_own_model) content.metadata["own_model"] = "true";
  if (about.has_edge_weights) content.metadata["edge_weights"] = "true";
  core::write_safetensors(file, content);
}

RunOptions training::answering_options(const RunOptions& trained) {
  const TrainOptions defaults;
  RunOptions options = trained;
  options.train.batch = defaults.batch;
  options.train.drop_edge = defaults.drop_edge;
  options.train.eval_every = defaults.eval_every;
  options.train.checkpoint_layers = defaults.checkpoint_layers;
  return options;
}

std::string training::no_checksum_note(const std::filesystem::path& file) {
  return fmt::format(
      "{} has no checksum (written by an earlier version), so that damage to "
      "it may not be seen",
      file.string());
}

void Trained::save(const std::filesystem::path& file) const {
  if (!model) throw UsageError("save: there is no model to save");
  training::write_checkpoint(file, training::named_state(*model), *this);
}

Trained load_trained(const std::filesystem::path& file) {
  Trained out;
  const core::TensorFile content = read_checkpoint(file, out);
  if (out.is_own_model) {
    fail_in(file,
            "holds a model of the program that trained it; load it with "
            "load_trained(file, model) there");
  }
  check_claimed_shape(content, file, out);
  out.model = create_model(out.options.model, out.shape, out.options.network,
                           out.options.train.seed);
  training::load_state(*out.model, content.tensors, file);
  return out;
}

Trained load_trained(const std::filesystem::path& file,
                     const std::shared_ptr<NodeModel>& model) {
  if (!model) throw UsageError("load_trained: there is no model to load into");
  Trained out;
  const core::TensorFile content = read_checkpoint(file, out);
  training::load_state(*model, content.tensors, file);
  out.model = model;
  return out;
}

DataOptions data_for(const Trained& trained, const std::string& other) {
  DataOptions data = trained.options.data;
  data.columns = trained.columns;
  if (!trained.has_edge_weights) {
    data.treatment.edge_weights = Treatment::EdgeWeights::ignore;
  }
  if (other.empty()) return data;
  data.data = other;
  data.format = "auto";
  data.split_set = "auto";
  data.split_file = "";
  return data;
}

void training::require_inputs(const Trained& trained, const NodeDataset& data,
                              const std::filesystem::path& where) {
  if (data.features.num_features() != trained.shape.num_features) {
    fail_in(where,
            fmt::format("was trained on {} features, but '{}' has {} (feature "
                        "treatment '{}'); use data with the same features",
                        trained.shape.num_features, data.name,
                        data.features.num_features(),
                        to_string(data.treatment.features)));
  }
  require_own_nodes(trained, data, where);
  require_fitting_weights(trained, data, where);
}

}  // namespace ordered_gnn
