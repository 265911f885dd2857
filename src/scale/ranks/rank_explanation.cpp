// What a model does on a graph in parts: every part describes its own nodes,
// and rank 0 gets what is to be known of all of them.
#include <torch/types.h>

#include <algorithm>
#include <utility>

#include "explain/finished_graph.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/explain/node_table.h"
#include "scale/ranks/layer_gather.h"
#include "scale/ranks/part_run.h"

namespace ordered_gnn::scale {
namespace {

// What a part says of itself.
struct DescribedPart {
  NodeTable nodes;
  std::vector<explain::PartLayer> layers;
};

NodeDataset dataset_of(const RankWork::PartRun& part, int64_t split) {
  NodeDataset data;
  data.graph = part.graph;
  data.features = part.features;
  data.labels = part.labels;
  if (split < 0) return data;
  const auto marked = [&](int64_t mark) {
    return part.splits[split].eq(mark).nonzero().flatten();
  };
  data.splits.push_back({marked(1), marked(2), marked(3)});
  return data;
}

// Rows of a field of the tables of all parts of the rank, on rank 0 of all
// nodes.
template <typename Stored, typename Value>
void gather_field(const NodeGather& gather,
                  const std::vector<DescribedPart>& parts, at::ScalarType type,
                  std::vector<Value> NodeTable::*field, NodeTable& out) {
  std::vector<at::Tensor> pieces;
  for (const DescribedPart& part : parts) {
    const std::vector<Value>& values = part.nodes.*field;
    const at::Tensor piece =
        torch::empty({part.nodes.num_nodes(),
                      static_cast<int64_t>(values.size()) /
                          std::max<int64_t>(1, part.nodes.num_nodes())},
                     type);
    std::transform(values.begin(), values.end(), piece.data_ptr<Stored>(),
                   [](Value value) { return static_cast<Stored>(value); });
    pieces.push_back(piece);
  }
  const at::Tensor all = gather.rows(joined(pieces));
  if (!all.defined()) return;
  const Stored* const first = all.data_ptr<Stored>();
  std::vector<Value>& values = out.*field;
  values.resize(static_cast<size_t>(all.numel()));
  std::transform(first, first + all.numel(), values.begin(),
                 [](Stored value) { return static_cast<Value>(value); });
}

NodeTable gather_nodes(const NodeGather& gather,
                       const std::vector<DescribedPart>& parts) {
  NodeTable out;
  const NodeTable& any = parts.front().nodes;
  out.num_classes = any.num_classes;
  out.num_hops = any.num_hops;
  out.share_source = any.share_source;
  const auto whole = [&](std::vector<int64_t> NodeTable::*field) {
    gather_field<int64_t>(gather, parts, at::kLong, field, out);
  };
  const auto real = [&](std::vector<float> NodeTable::*field) {
    gather_field<float>(gather, parts, at::kFloat, field, out);
  };
  whole(&NodeTable::label);
  whole(&NodeTable::predicted);
  whole(&NodeTable::degree);
  real(&NodeTable::confidence);
  real(&NodeTable::homophily);
  real(&NodeTable::hop_shares);
  real(&NodeTable::open_gates);
  gather_field<uint8_t>(gather, parts, at::kByte, &NodeTable::part, out);
  return out;
}

}  // namespace

GraphExplanation RankWork::explain(int64_t split) {
  const ThreadScope serial_torch;
  std::vector<DescribedPart> parts(parts_.size());
  const int64_t first = bounds_[group_.rank()];
  run_parts(PassKind::explanation, [&](PartRun& part) {
    DescribedPart& described = parts[static_cast<size_t>(part.place)];
    try {
      described.nodes = describe_nodes(
          *part.model, dataset_of(part, split), split < 0 ? -1 : 0,
          [&](const LayerTrace& layer) {
            described.layers.push_back(explain::keep_layer(part.graph, layer));
          });
    } catch (const Error& error) {
      fail("part {}, whose nodes are numbered from 0: {}", first + part.place,
           error.what());
    }
  });
  std::vector<at::Tensor> original;
  for (const auto& part : parts_) original.push_back(part->original);
  const NodeGather gather(group_, manifest_, bounds_, joined(original));
  GraphExplanation out;
  out.nodes = gather_nodes(gather, parts);
  int64_t edges = 0;
  for (const int64_t degree : out.nodes.degree) edges += degree;
  for (size_t k = 0; k < parts.front().layers.size(); ++k) {
    std::vector<explain::PartLayer> layers;
    for (DescribedPart& part : parts) {
      layers.push_back(std::exchange(part.layers[k], {}));
    }
    out.layers.push_back(gather_layer(gather, layers, edges));
  }
  if (gather.is_first()) {
    explain::finish_graph(manifest_.class_names, split >= 0, {}, out);
  }
  return out;
}

}  // namespace ordered_gnn::scale
