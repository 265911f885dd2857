#include "lab/bench/new_nodes_bench.h"

#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "core/grown_lists.h"
#include "data/formats/tensor_of.h"
#include "lab/bench/median.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/core/random.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::lab {
namespace {

template <typename Body>
double milliseconds_of(const Body& body) {
  using Clock = std::chrono::steady_clock;
  const auto start = Clock::now();
  body();
  return std::chrono::duration<double, std::milli>(Clock::now() - start)
      .count();
}

// The node and those nearest to it, `count` of them if there are so many.
std::vector<int64_t> nearest(const core::GrownLists& lists, int64_t node,
                             size_t count) {
  std::vector<int64_t> out = {node};
  for (size_t i = 0; i < out.size() && out.size() < count; ++i) {
    lists.for_each(out[i], [&](int64_t u) {
      if (out.size() == count) return;
      if (std::find(out.begin(), out.end(), u) == out.end()) out.push_back(u);
    });
  }
  return out;
}

at::Tensor drawn_edges(const NodeDataset& data,
                       const NewNodesBenchOptions& options,
                       RandomStream& random) {
  const core::GrownLists lists(data.graph.in());
  const auto count = static_cast<size_t>(options.edges);
  std::vector<int64_t> from, to;
  for (int64_t v = 0; v < options.new_nodes; ++v) {
    std::vector<int64_t> known;
    const size_t draws = options.to == NewEdges::anywhere ? count : 1;
    for (size_t i = 0; i < draws; ++i) {
      known.push_back(static_cast<int64_t>(
          random.below(static_cast<uint64_t>(data.num_nodes()))));
    }
    if (options.to == NewEdges::near) known = nearest(lists, known[0], count);
    from.insert(from.end(), known.begin(), known.end());
    to.resize(from.size(), data.num_nodes() + v);
  }
  return torch::stack({data::tensor_of(from), data::tensor_of(to)});
}

// With random features.
AddedNodes drawn_nodes(const NodeDataset& data,
                       const NewNodesBenchOptions& options) {
  RandomStream random(/*seed=*/1);
  AddedNodes added;
  added.features =
      torch::zeros({options.new_nodes, data.features.num_features()});
  added.edges = drawn_edges(data, options, random);
  float* const value = added.features.data_ptr<float>();
  for (int64_t i = 0; i < added.features.numel(); ++i) {
    value[i] = static_cast<float>(random.uniform());
  }
  if (data.node_names.empty()) return added;
  for (int64_t v = 0; v < options.new_nodes; ++v) {
    added.names.push_back("new node " + std::to_string(v));
  }
  return added;
}

Trained untrained_model(const NodeDataset& data, const RunOptions& run) {
  Trained out;
  out.options = run;
  out.shape = {data.features.num_features(), data.num_classes,
               data.features.kind(), data.num_nodes()};
  out.model = create_model(run.model, out.shape, run.network, run.train.seed);
  return out;
}

}  // namespace

NewNodesBench bench_new_nodes(const NodeDataset& data,
                              const NewNodesBenchOptions& options) {
  const ThreadScope threads(options.run.execution.threads);
  const AddedNodes added = drawn_nodes(data, options);
  const Trained trained = untrained_model(data, options.run);
  PredictionOptions how = prediction_options(trained);
  how.execution = options.run.execution;
  NewNodesBench out;
  // Makes what later calls share, and is what the result is held against.
  const at::Tensor whole =
      predict(trained, with_added(data, added), how).logits;
  std::vector<double> all, some;
  for (int64_t i = 0; i < options.repeats; ++i) {
    all.push_back(milliseconds_of([&] { predict(trained, data, how); }));
    some.push_back(milliseconds_of([&] {
      out.last = predict_added(trained, data, added, AddedRows::new_nodes, how);
    }));
  }
  out.ms_all = median(all);
  out.ms_new = median(some);
  out.difference = (whole.narrow(0, data.num_nodes(), options.new_nodes) -
                    out.last.prediction.logits)
                       .abs()
                       .max()
                       .item<double>();
  return out;
}

}  // namespace ordered_gnn::lab
