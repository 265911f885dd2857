#include "ordered_gnn/train/trained.h"

#include <stdexcept>

#include "core/io/safetensors/safetensors.h"
#include "data/tables/column_json.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/version.h"
#include "train/checkpoint.h"
#include "train/class_match.h"
#include "train/data_path.h"

namespace ordered_gnn {
namespace {

constexpr const char* kFormat = "ordered_gnn checkpoint 1";

std::string kind_name(NodeFeatures::Kind kind) {
  switch (kind) {
    case NodeFeatures::Kind::dense:
      return "dense";
    case NodeFeatures::Kind::sparse:
      return "sparse";
    case NodeFeatures::Kind::identity:
      break;
  }
  return "identity";
}

NodeFeatures::Kind parse_kind(const std::string& name) {
  if (name == "dense") return NodeFeatures::Kind::dense;
  if (name == "sparse") return NodeFeatures::Kind::sparse;
  return NodeFeatures::Kind::identity;
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

// A number that counts something, whatever the file says.
int64_t count_in(const Json& json, const char* key) {
  const Json value = json.value(key, Json(0));
  constexpr int64_t kMost = int64_t{1} << 53;
  if (!value.is_number_integer() || value < 0 || value > kMost) {
    throw std::out_of_range(fmt::format("{} is {}", key, value.dump()));
  }
  return value.get<int64_t>();
}

// What a checkpoint states of the run that made it; older ones may state
// nothing.
void read_result(const Json& json, Trained& out) {
  out.result.seed = out.options.train.seed;
  if (!json.is_object()) return;
  out.dataset = json.value("dataset", "");
  out.fingerprint = json.value("fingerprint", "");
  out.result.split = count_in(json, "split");
  out.result.best_epoch = count_in(json, "epoch");
  out.result.train = scores_from_json(json.at("train"));
  out.result.val = scores_from_json(json.at("val"));
  out.result.test = scores_from_json(json.at("test"));
}

// What the features are called and made of; older checkpoints do not say.
void read_features(const core::TensorFile& content, Trained& out) {
  const auto names = content.metadata.find("feature_names");
  if (names != content.metadata.end()) {
    out.feature_names =
        Json::parse(names->second).get<std::vector<std::string>>();
  }
  const auto columns = content.metadata.find("columns");
  if (columns != content.metadata.end()) {
    out.columns = data::columns_from_json(Json::parse(columns->second));
  }
}

void read_description(const core::TensorFile& content,
                      const std::filesystem::path& file, Trained& out) {
  try {
    out.options =
        run_options_from_json(Json::parse(required(content, "config", file)));
    const Json shape = Json::parse(required(content, "shape", file));
    out.shape.num_features = shape.at("num_features").get<int64_t>();
    out.shape.num_classes = shape.at("num_classes").get<int64_t>();
    out.shape.features_kind =
        parse_kind(shape.at("features_kind").get<std::string>());
    // Checkpoints of models without parameters per node may not state it.
    out.shape.num_nodes = shape.value("num_nodes", int64_t{0});
    out.class_names = Json::parse(required(content, "class_names", file))
                          .get<std::vector<std::string>>();
    read_features(content, out);
    const auto place = content.metadata.find("data_path");
    if (place != content.metadata.end()) {
      training::read_data_path(place->second, file, out);
    }
    out.is_own_model = content.metadata.count("own_model") > 0;
    out.has_edge_weights = content.metadata.count("edge_weights") > 0;
    read_result(Json::parse(required(content, "result", file)), out);
  } catch (const Json::exception& error) {
    fail_in(file, fmt::format("damaged checkpoint metadata: {}", error.what()));
  } catch (const UsageError& error) {
    fail_in(file, fmt::format("its settings are not of this version: {}",
                              error.what()));
  } catch (const std::out_of_range& error) {
    fail_in(file, fmt::format("damaged checkpoint metadata: {}", error.what()));
  }
}

core::TensorFile read_checkpoint(const std::filesystem::path& file,
                                 Trained& out) {
  core::TensorFile content = core::read_safetensors(file);
  const std::string& format = required(content, "format", file);
  if (format != kFormat) {
    fail_in(file, fmt::format("has format '{}', this version reads '{}'",
                              format, kFormat));
  }
  read_description(content, file, out);
  return content;
}

// Sizes come from the file, so they are held against its own tensors before
// a model of that size is built.
void check_claimed_shape(const core::TensorFile& content,
                         const std::filesystem::path& file,
                         const Trained& about) {
  const ModelShape& shape = about.shape;
  // Beyond this a product of two sizes could overflow.
  constexpr int64_t kMost = int64_t{1} << 38;
  for (const int64_t size :
       {shape.num_features, shape.num_classes, shape.num_nodes}) {
    if (size < 0 || size > kMost) {
      fail_in(file, fmt::format("its metadata states a size of {}", size));
    }
  }
  const nn::ShapesOnly no_memory;
  const auto model =
      create_model(about.options.model, shape, about.options.network,
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

}  // namespace

void training::write_checkpoint(const std::filesystem::path& file,
                                const TensorMap& state, const Trained& about) {
  core::TensorFile content;
  content.tensors = state;
  content.metadata["format"] = kFormat;
  content.metadata["version"] = kVersion;
  content.metadata["commit"] = kCommit;
  content.metadata["config"] = to_json(about.options).dump();
  content.metadata["shape"] =
      Json{{"num_features", about.shape.num_features},
           {"num_classes", about.shape.num_classes},
           {"num_nodes", about.shape.num_nodes},
           {"features_kind", kind_name(about.shape.features_kind)}}
          .dump();
  content.metadata["class_names"] = Json(about.class_names).dump();
  if (!about.feature_names.empty()) {
    content.metadata["feature_names"] = Json(about.feature_names).dump();
  }
  if (!about.columns.empty()) {
    content.metadata["columns"] = data::columns_json(about.columns).dump();
  }
  const std::string place = data_path_text(about.data_path, file);
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
  if (!trained.is_own_model && find_model(trained.options.model).is_per_node &&
      data.num_nodes() != trained.shape.num_nodes) {
    fail_in(where,
            fmt::format("{} has parameters for the {} nodes it was trained on, "
                        "but '{}' has {}; use the same graph",
                        trained.options.model, trained.shape.num_nodes,
                        data.name, data.num_nodes()));
  }
  require_fitting_weights(trained, data, where);
}

}  // namespace ordered_gnn
