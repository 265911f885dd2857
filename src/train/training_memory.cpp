#include "train/training_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/saturated_count.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "train/batch_choice.h"
#include "train/neighbor_step.h"

namespace ordered_gnn::training {
namespace {

// "training 4 runs of ordered_gnn at a time on 'x' (N nodes, 8 layers of width
// 256)".
std::string runs_text(const RunOptions& options, const NodeDataset& data,
                      int64_t runs) {
  const ModelEntry& model = find_model(options.model);
  std::string parts = fmt::format("{} nodes", data.num_nodes());
  if (model.reads_option("layers")) {
    parts += fmt::format(", {} layers", options.network.layers);
  }
  if (model.reads_option("hidden")) {
    parts += fmt::format(", width {}", options.network.hidden);
  }
  parts += fmt::format(", {} features", data.features.num_features());
  const std::string several =
      runs > 1 ? fmt::format("{} runs at a time of ", runs) : "";
  return fmt::format("training {}{} on '{}' ({})", several, options.model,
                     data.name, parts);
}

std::string remedies(const RunOptions& options, int64_t runs) {
  const ModelEntry& model = find_model(options.model);
  std::string text;
  if (runs > 1) text += "fewer --workers, ";
  if (model.reads_option("checkpoint-layers") &&
      !options.train.checkpoint_layers && options.network.layers > 4) {
    text += "--checkpoint-layers, ";
  }
  if (model.reads_option("hidden")) text += "a smaller --hidden, ";
  if (model.reads_option("layers")) text += "fewer --layers, ";
  return text + "a smaller graph or a machine with more memory";
}

// What a batch of drawn neighbours can be: as if all were different.
PassSize batch_size(const BatchChoice& batch, PassSize size) {
  const auto all = static_cast<double>(size.num_nodes);
  double found = batch.seeds > 0 ? static_cast<double>(batch.seeds) : all;
  double nodes = found;
  for (const int64_t most : batch.fanout) {
    found *= most == NeighborSampler::kAll ? all : static_cast<double>(most);
    nodes += found;
  }
  if (nodes >= all) return size;
  size.num_nodes = static_cast<int64_t>(nodes);
  // The message that a node was found by, and its loop.
  size.num_edges = std::min(size.num_edges, 2 * size.num_nodes);
  size.dense_values =
      std::min(size.dense_values, size.num_nodes * size.num_features);
  return size;
}

// Steps on drawn neighbours keep what backward reads of a batch, which may be
// all of the graph, beside the rows and lists that are copied for it. Surely
// they are only evaluated on the whole graph.
MemoryRange sampled_bytes(const RunOptions& options, const PassSize& size) {
  constexpr double kFloat = sizeof(float), kOfList = 64;
  const ModelEntry& model = find_model(options.model);
  PassSize batch = batch_size(parse_batch(options.train.batch), size);
  batch.has_weights = sums_need_weights(options);
  const double copied =
      kFloat * static_cast<double>(batch.dense_values) +
      2 * kFloat * static_cast<double>(batch.sparse_values) +
      kOfList * static_cast<double>(batch.num_nodes + batch.num_edges);
  // A parameter with gradient, moments, the best one and copies.
  const double parameters =
      8 * kFloat * model.training_rows(options.network, size).parameters;
  MemoryRange range = prediction_bytes(model, options.network, size);
  const MemoryRange step =
      ordered_gnn::training_bytes(model, options.network, batch);
  const double most = std::max(static_cast<double>(range.most) + parameters,
                               static_cast<double>(step.most) + copied);
  range.most = core::saturated_count(most);
  return range;
}

}  // namespace

PassSize pass_size(const NodeDataset& data) {
  const NodeFeatures& features = data.features;
  PassSize size;
  size.num_nodes = data.num_nodes();
  size.num_edges = data.graph.num_edges();
  size.num_features = features.num_features();
  size.num_classes = data.num_classes;
  if (features.kind() == NodeFeatures::Kind::dense) {
    size.dense_values = features.dense_values().numel();
  } else if (features.kind() == NodeFeatures::Kind::sparse) {
    size.sparse_values = features.rows().col.numel();
  }
  size.has_weights = data.graph.weights().defined();
  return size;
}

MemoryRange stored_in(const ExecutionOptions& execution, MemoryRange range) {
  if (storage_of(execution) == at::kBFloat16) range.least /= 2;
  return range;
}

MemoryRange training_bytes(const RunOptions& options, const NodeDataset& data) {
  PassSize size = pass_size(data);
  size.checkpoint_layers = options.train.checkpoint_layers;
  const ModelEntry& model = find_model(options.model);
  const bool samples = parse_batch(options.train.batch).samples();
  MemoryRange range = stored_in(
      options.execution,
      samples ? sampled_bytes(options, size)
              : ordered_gnn::training_bytes(model, options.network, size));
  if (options.train.average_weights > 0) {
    // The averages, and the weights while the averages are in their place.
    const double parameters =
        model.training_rows(options.network, size).parameters;
    const auto bytes = static_cast<int64_t>(2 * sizeof(float) * parameters);
    range.least += bytes;
    range.most += 2 * bytes;
  }
  return range;
}

std::string why_no_memory(const RunOptions& options, const NodeDataset& data,
                          int64_t runs) {
  if (options.execution.device != Device::cpu) return "";
  const int64_t least = training_bytes(options, data).least;
  const MemoryLeft left = memory_left(least);
  if (least <= left.bytes / std::max<int64_t>(runs, 1)) return "";
  return fmt::format("{} takes at least {}{} besides the data, but {}; use {}",
                     runs_text(options, data, runs), bytes_text(least),
                     runs > 1 ? " each" : "", left_text(left),
                     remedies(options, runs));
}

void require_training_memory(const RunOptions& options, const NodeDataset& data,
                             int64_t runs) {
  const std::string reason = why_no_memory(options, data, runs);
  if (!reason.empty()) throw Error(reason);
}

std::vector<std::string> memory_remarks(const RunOptions& options,
                                        const NodeDataset& data, int64_t runs) {
  if (options.execution.device != Device::cpu) return {};
  const int64_t most = training_bytes(options, data).most;
  const MemoryLeft left = memory_left(most);
  if (most <= left.bytes / std::max<int64_t>(runs, 1)) return {};
  return {fmt::format("{} may take up to {}{} besides the data, and {}",
                      runs_text(options, data, runs), bytes_text(most),
                      runs > 1 ? " each" : "", left_text(left))};
}

}  // namespace ordered_gnn::training
