#include "train/neighbor_step.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>

#include "data/formats/tensor_of.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/nn/models.h"
#include "train/batch_order.h"

namespace ordered_gnn::training {
namespace {

// Fan-outs of further layers are taken to be as the last.
std::string heard_text(const BatchChoice& choice, int64_t layers) {
  double nodes = static_cast<double>(std::max<int64_t>(choice.seeds, 1));
  for (int64_t layer = 0; layer < layers; ++layer) {
    const auto last = static_cast<int64_t>(choice.fanout.size()) - 1;
    const int64_t most = choice.fanout[std::min(layer, last)];
    if (most == NeighborSampler::kAll) {
      return "all that it hears on the whole graph";
    }
    nodes *= static_cast<double>(most);
  }
  return fmt::format("about {:.3g} nodes", nodes);
}

const NodeDataset& without_weights(const NodeDataset& data) {
  if (data.graph.weights().defined()) {
    throw UsageError(fmt::format(
        "--batch neighbors: sampled batches read no weights of edges, and "
        "those of '{}' have some; add --edge-weights ignore",
        data.name));
  }
  return data;
}

}  // namespace

bool sums_need_weights(const RunOptions& run) {
  return !find_model(run.model).reads_option("aggregator") ||
         run.network.aggregator != Aggregator::mean;
}

void require_samplable(const RunOptions& options) {
  const BatchChoice choice = parse_batch(options.train.batch);
  if (!choice.samples()) return;
  const auto refuse = [&](bool is_asked, const std::string& why) {
    if (!is_asked) return;
    throw UsageError(fmt::format("--batch {}: {}", options.train.batch, why));
  };
  const ModelEntry& entry = find_model(options.model);
  const bool runs_on_parts =
      why_no_parts(options.model, options.network).empty();
  const int64_t hops =
      runs_on_parts && entry.reach ? entry.reach(options.network).hops : 0;
  refuse(hops == 0,
         fmt::format("{} with these options is not trained on sampled "
                     "neighbours; ordered_gnn (with layer norms or none, joint "
                     "directions), gcn and graphsage are, with aggregators "
                     "mean, gcn and sum",
                     options.model));
  refuse(hops > kMostSampledLayers,
         fmt::format("a step of {} layers would hear {}; sampling is for at "
                     "most {} layers. Cut the graph with 'ognn partition' and "
                     "train on --batch parts:N",
                     hops, heard_text(choice, hops), kMostSampledLayers));
  refuse(static_cast<int64_t>(choice.fanout.size()) != hops,
         fmt::format("{} fan-out{} for {} layer{}; give one for each, that of "
                     "the training nodes first",
                     choice.fanout.size(), choice.fanout.size() == 1 ? "" : "s",
                     hops, hops == 1 ? "" : "s"));
  refuse(options.execution.device != Device::cpu,
         "sampled batches are computed on CPUs; leave out --device cuda");
  refuse(options.execution.math != Math::fp32,
         "sampled batches are computed in fp32; leave out --math");
  refuse(options.train.drop_edge > 0,
         "neighbours are left out already; leave out --drop-edge");
}

NeighborStep::NeighborStep(NodeModel& model, const NodeDataset& data,
                           const Split& split, const RunOptions& run)
    : TrainStep(model, without_weights(data), split, run.train),
      rows_of_(data),
      seeds_(parse_batch(run.train.batch).seeds),
      sampler_(data.graph, {parse_batch(run.train.batch).fanout, run.train.seed,
                            sums_need_weights(run)}) {}

int64_t NeighborStep::updates_of(int64_t epochs) const {
  const int64_t count = labels().nodes.numel();
  return epochs * batches_per_epoch(count, seeds_ > 0 ? seeds_ : count);
}

at::Tensor NeighborStep::batch_loss(const std::vector<int64_t>& places,
                                    int64_t epoch, int64_t batch) {
  const at::Tensor index = data::tensor_of(places);
  const at::Tensor nodes = labels().nodes.index_select(0, index).contiguous();
  const int64_t* const node = nodes.data_ptr<int64_t>();
  const SampledPart part =
      sampler_.draw({node, node + nodes.numel()}, epoch, batch);
  const at::Tensor rows = torch::empty_like(nodes);
  std::transform(node, node + nodes.numel(), rows.data_ptr<int64_t>(),
                 [&](int64_t id) { return part.place_of(id); });
  const DropoutStep step(torch::cat(
      {torch::full({1}, epoch, torch::kLong), data::tensor_of(part.nodes)}));
  return loss_on(part.graph, rows_of_.features_of(part.nodes), step, rows,
                 labels().labels.index_select(0, index));
}

double NeighborStep::run(int64_t epoch, double lr) {
  const int64_t count = labels().nodes.numel();
  const auto batches =
      draw_batches(count, seeds_ > 0 ? seeds_ : count, seed(), epoch);
  double mean = 0;
  for (size_t b = 0; b < batches.size(); ++b) {
    const at::Tensor loss =
        batch_loss(batches[b], epoch, static_cast<int64_t>(b));
    const double value = loss.item<double>();
    if (!std::isfinite(value)) return value;
    update(loss, lr);
    mean += value * static_cast<double>(batches[b].size()) /
            static_cast<double>(count);
  }
  return mean;
}

}  // namespace ordered_gnn::training
