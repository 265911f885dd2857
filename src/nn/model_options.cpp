#include "ordered_gnn/nn/model_options.h"

#include "core/names.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kJumpingNames = {"concat", "max", "lstm",
                                                "none"};
const std::vector<std::string> kConvolutionNames = {"gcn", "sage", "gat"};
const std::vector<std::string> kHopWeightsNames = {"ppr", "nppr", "last",
                                                   "random"};
const std::vector<std::string> kEmbeddingNames = {"isomap", "spectral"};

std::vector<Option<ModelOptions>> baseline_rows() {
  using O = ModelOptions;
  const char* const kGroup = "Model";
  return {
      in_range(option<O>(
                   "heads", kGroup, [](O & o) -> auto& { return o.heads; },
                   "attention heads that share the width"),
               1, 4096),
      in_range(option<O>(
                   "output-heads", kGroup,
                   [](O & o) -> auto& { return o.output_heads; },
                   "attention heads of the last layer, averaged"),
               1, 4096),
      in_range(option<O>(
                   "hops", kGroup, [](O & o) -> auto& { return o.hops; },
                   "how far nodes are heard"),
               1, 10000),
      in_range(option<O>(
                   "alpha", kGroup, [](O & o) -> auto& { return o.alpha; },
                   "share of the start"),
               0, 1),
      in_range(option<O>(
                   "lambda", kGroup, [](O & o) -> auto& { return o.lambda; },
                   "strength that falls with the depth"),
               0, 1e3),
      in_range(
          option<O>(
              "exponent", kGroup, [](O & o) -> auto& { return o.exponent; },
              "how fast the decay falls with the depth"),
          0, 1e3),
      in_range(
          option<O>(
              "label-rate", kGroup, [](O & o) -> auto& { return o.label_rate; },
              "share of the training labels that a training step tells "
              "the model, its loss being on the others"),
          0, 0.999),
      in_range(option<O>(
                   "global-layers", kGroup,
                   [](O & o) -> auto& { return o.global_layers; },
                   "layers of attention between all nodes"),
               1, 1000),
      in_range(option<O>(
                   "local-epochs", kGroup,
                   [](O & o) -> auto& { return o.local_epochs; },
                   "epochs before the attention between all nodes takes part"),
               0, 1 << 30),
      option<O>(
          "unit-rows", kGroup, [](O & o) -> auto& { return o.unit_rows; },
          "divide the rows of a layer by their length"),
      enum_option<O>(
          "jumping", kGroup, [](O & o) -> auto& { return o.jumping; },
          parse_jumping, kJumpingNames,
          "how the states of all layers are put together"),
      enum_option<O>(
          "convolution", kGroup, [](O & o) -> auto& { return o.convolution; },
          parse_convolution, kConvolutionNames,
          "layers: graph convolutions, those of GraphSAGE with its "
          "aggregator, or attention"),
      enum_option<O>(
          "hop-weights", kGroup, [](O & o) -> auto& { return o.hop_weights; },
          parse_hop_weights, kHopWeightsNames,
          "hop weights that training starts from"),
      enum_option<O>(
          "embedding", kGroup, [](O & o) -> auto& { return o.embedding; },
          parse_embedding, kEmbeddingNames,
          "how the graph is laid out in the plane: by hop distances or by "
          "eigenvectors"),
  };
}

}  // namespace

std::string to_string(Jumping jumping) {
  return kJumpingNames[static_cast<size_t>(jumping)];
}
Jumping parse_jumping(const std::string& name) {
  return core::parse_enum<Jumping>("jumping", name, kJumpingNames);
}
std::string to_string(ConvolutionKind kind) {
  return kConvolutionNames[static_cast<size_t>(kind)];
}
ConvolutionKind parse_convolution(const std::string& name) {
  return core::parse_enum<ConvolutionKind>("convolution", name,
                                           kConvolutionNames);
}
std::string to_string(HopWeights weights) {
  return kHopWeightsNames[static_cast<size_t>(weights)];
}
HopWeights parse_hop_weights(const std::string& name) {
  return core::parse_enum<HopWeights>("hop weights", name, kHopWeightsNames);
}

std::string to_string(Embedding embedding) {
  return kEmbeddingNames[static_cast<size_t>(embedding)];
}
Embedding parse_embedding(const std::string& name) {
  return core::parse_enum<Embedding>("embedding", name, kEmbeddingNames);
}

const std::vector<Option<ModelOptions>>& baseline_option_table() {
  static const std::vector<Option<ModelOptions>> table = [] {
    std::vector<Option<ModelOptions>> rows = baseline_rows();
    for (auto& row : rows) row.spec.help += readers_text(row.spec.name);
    return rows;
  }();
  return table;
}

const std::vector<Option<ModelOptions>>& model_option_table() {
  static const std::vector<Option<ModelOptions>> table = [] {
    std::vector<Option<ModelOptions>> rows = lifted<ModelOptions>(
        ordered_gnn_option_table(),
        [](ModelOptions& o) -> OrderedGnnOptions& { return o; });
    for (const auto& row : baseline_option_table()) rows.push_back(row);
    return rows;
  }();
  return table;
}

}  // namespace ordered_gnn
