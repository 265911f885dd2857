#include "ordered_gnn/train/checkpoint.h"

#include <torch/types.h>

#include "core/io/safetensors/safetensors.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/version.h"

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

void read_description(const core::TensorFile& content,
                      const std::filesystem::path& file, Checkpoint& out) {
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
    out.result = Json::parse(required(content, "result", file));
  } catch (const Json::exception& error) {
    fail_in(file, fmt::format("damaged checkpoint metadata: {}", error.what()));
  } catch (const UsageError& error) {
    fail_in(file, fmt::format("its settings are not of this version: {}",
                              error.what()));
  }
}

// Sizes come from the file, so they are held against its own tensors before
// a model of that size is built.
void check_claimed_shape(const core::TensorFile& content,
                         const std::filesystem::path& file,
                         const Checkpoint& about) {
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
  check_state(*model, content.tensors, file);
}

}  // namespace

std::map<std::string, at::Tensor> named_state(const NodeModel& model) {
  std::map<std::string, at::Tensor> out;
  for (const auto& item : model.named_parameters()) {
    out[item.key()] = item.value().detach();
  }
  for (const auto& item : model.named_buffers()) {
    out[item.key()] = item.value().detach();
  }
  return out;
}

void check_state(const NodeModel& model,
                 const std::map<std::string, at::Tensor>& state,
                 const std::filesystem::path& file) {
  const std::map<std::string, at::Tensor> own = named_state(model);
  for (const auto& [name, tensor] : state) {
    if (own.count(name) == 0) {
      fail_in(file, fmt::format("tensor '{}' is not part of the model its "
                                "settings describe",
                                name));
    }
  }
  for (const auto& [name, target] : own) {
    const auto found = state.find(name);
    if (found == state.end()) {
      fail_in(file, fmt::format("tensor '{}' is missing", name));
    }
    if (found->second.sizes() != target.sizes()) {
      fail_in(file, fmt::format("tensor '{}' is {}, the model needs {}", name,
                                c10::str(found->second.sizes()),
                                c10::str(target.sizes())));
    }
  }
}

void load_state(NodeModel& model,
                const std::map<std::string, at::Tensor>& state,
                const std::filesystem::path& file) {
  check_state(model, state, file);
  const torch::NoGradGuard no_grad;
  for (auto& [name, target] : named_state(model)) {
    target.copy_(state.at(name));
  }
}

void save_checkpoint(const std::filesystem::path& file,
                     const std::map<std::string, at::Tensor>& state,
                     const Checkpoint& about) {
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
  content.metadata["result"] = about.result.dump();
  core::write_safetensors(file, content);
}

Checkpoint load_checkpoint(const std::filesystem::path& file) {
  const core::TensorFile content = core::read_safetensors(file);
  const std::string& format = required(content, "format", file);
  if (format != kFormat) {
    fail_in(file, fmt::format("has format '{}', this version reads '{}'",
                              format, kFormat));
  }
  Checkpoint out;
  read_description(content, file, out);
  check_claimed_shape(content, file, out);
  out.model = create_model(out.options.model, out.shape, out.options.network,
                           out.options.train.seed);
  load_state(*out.model, content.tensors, file);
  return out;
}

void require_fit(const Checkpoint& checkpoint, const NodeDataset& data,
                 const std::filesystem::path& file) {
  if (data.features.num_features() != checkpoint.shape.num_features) {
    fail_in(file,
            fmt::format("was trained on {} features, but '{}' has {} (feature "
                        "treatment '{}'); use data with the same features",
                        checkpoint.shape.num_features, data.name,
                        data.features.num_features(),
                        to_string(data.treatment.features)));
  }
  if (find_model(checkpoint.options.model).is_per_node &&
      data.num_nodes() != checkpoint.shape.num_nodes) {
    fail_in(file,
            fmt::format("{} has parameters for the {} nodes it was trained on, "
                        "but '{}' has {}; use the same graph",
                        checkpoint.options.model, checkpoint.shape.num_nodes,
                        data.name, data.num_nodes()));
  }
  if (data.num_classes > checkpoint.shape.num_classes) {
    fail_in(file, fmt::format("was trained on {} classes, but '{}' has {}",
                              checkpoint.shape.num_classes, data.name,
                              data.num_classes));
  }
}

}  // namespace ordered_gnn
