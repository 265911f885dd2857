#include "ordered_gnn/data/dataset.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "core/names.h"
#include "core/out_of_memory.h"
#include "data/split_checks.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn {
namespace {

struct FeatureTreatmentName {
  Treatment::Features value;
  const char* name;
};
constexpr FeatureTreatmentName kFeatureTreatments[] = {
    {Treatment::Features::raw, "raw"},
    {Treatment::Features::row_normalized, "row_normalized"},
    {Treatment::Features::identity, "identity"},
};

const std::vector<std::string> kEdgeWeightNames = {"use", "ignore"};

std::string place_of(const RawDataset& raw) {
  return fmt::format("dataset '{}'", raw.name);
}

bool is_int64_on_cpu(const at::Tensor& values) {
  return values.defined() && values.scalar_type() == at::kLong &&
         values.device().is_cpu();
}

// True when all ids are in [0, limit), found without a branch per id.
bool all_below(const int64_t* ids, int64_t count, uint64_t limit) {
  std::atomic<bool> below{true};
  parallel_ranges(count, int64_t{1} << 20, [&](int64_t begin, int64_t end) {
    uint64_t largest = 0;
    for (int64_t i = begin; i < end; ++i) {
      // A negative id wraps to a number above any limit.
      largest = std::max(largest, static_cast<uint64_t>(ids[i]));
    }
    if (begin < end && largest >= limit) below = false;
  });
  return below;
}

void check_edges(const RawDataset& raw) {
  const at::Tensor& edges = raw.edges;
  if (!is_int64_on_cpu(edges) || edges.dim() != 2 || edges.size(0) != 2) {
    fail("{}: edges must be a [2, E] int64 tensor on the CPU", place_of(raw));
  }
  const at::Tensor ends = edges.contiguous();
  const int64_t* first = ends.data_ptr<int64_t>();
  const int64_t num_edges = ends.size(1);
  const int64_t* second = first + num_edges;
  const uint64_t limit = static_cast<uint64_t>(raw.num_nodes);
  if (all_below(first, 2 * num_edges, limit)) return;
  for (int64_t e = 0; e < num_edges; ++e) {
    if (static_cast<uint64_t>(first[e]) >= limit ||
        static_cast<uint64_t>(second[e]) >= limit) {
      fail("{}: edge {} joins nodes {} and {}; nodes are 0 to {}",
           place_of(raw), e, first[e], second[e], raw.num_nodes - 1);
    }
  }
}

void check_edge_weights(const RawDataset& raw) {
  const at::Tensor& weights = raw.edge_weights;
  if (!weights.defined()) return;
  if (weights.scalar_type() != at::kFloat || !weights.device().is_cpu() ||
      weights.dim() != 1 || weights.size(0) != raw.edges.size(1)) {
    fail(
        "{}: edge weights must be a [{}] float32 tensor on the CPU, one for "
        "every edge; got {} of type {}",
        place_of(raw), raw.edges.size(1), weights.numel(),
        c10::toString(weights.scalar_type()));
  }
  const at::Tensor flat = weights.contiguous();
  const float* const weight = flat.data_ptr<float>();
  for (int64_t e = 0; e < flat.numel(); ++e) {
    if (std::isfinite(weight[e]) && weight[e] >= 0) continue;
    fail(
        "{}: edge {} from node {} to node {} has the weight {}; weights are "
        "finite and 0 or more",
        place_of(raw), e, raw.edges[0][e].item<int64_t>(),
        raw.edges[1][e].item<int64_t>(), weight[e]);
  }
}

// Features that are still to be made of a table are checked when they are.
bool has_features(const RawDataset& raw) {
  return raw.table == nullptr || raw.features.num_nodes() > 0;
}

void check_features(const RawDataset& raw) {
  if (!has_features(raw)) return;
  if (raw.features.num_nodes() != raw.num_nodes) {
    fail("{}: got {} feature rows for {} nodes", place_of(raw),
         raw.features.num_nodes(), raw.num_nodes);
  }
  const int64_t width = raw.features.num_features();
  if (raw.features.kind() == NodeFeatures::Kind::identity) return;
  if (width < 1 || width > kMaxFeatures) {
    fail(
        "{}: expected 1 to {} features, got {}; use the node ids as features "
        "when there are none",
        place_of(raw), kMaxFeatures, width);
  }
}

void check_labels(const RawDataset& raw) {
  if (raw.num_classes < 0 || raw.num_classes > kMaxClasses) {
    fail("{}: expected 0 to {} classes, got {}", place_of(raw), kMaxClasses,
         raw.num_classes);
  }
  if (!is_int64_on_cpu(raw.labels) || raw.labels.dim() != 1 ||
      raw.labels.size(0) != raw.num_nodes) {
    fail("{}: labels must be a [{}] int64 tensor on the CPU", place_of(raw),
         raw.num_nodes);
  }
  const at::Tensor labels = raw.labels.contiguous();
  const int64_t* label = labels.data_ptr<int64_t>();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    if (label[v] < -1 || label[v] >= raw.num_classes) {
      fail(
          "{}: node {} has label {}; expected a class in [0, {}) or -1 for "
          "an unlabelled node",
          place_of(raw), v, label[v], raw.num_classes);
    }
  }
}

void check_names(const RawDataset& raw, const std::vector<std::string>& names,
                 const char* what, int64_t expected) {
  if (!names.empty() && static_cast<int64_t>(names.size()) != expected) {
    fail("{}: got {} {} names for {} of them", place_of(raw), names.size(),
         what, expected);
  }
}

int64_t count_labelled(const at::Tensor& labels, const at::Tensor& nodes) {
  const at::Tensor flat_labels = labels.contiguous();
  const at::Tensor flat_nodes = nodes.contiguous();
  const int64_t* label = flat_labels.data_ptr<int64_t>();
  const int64_t* node = flat_nodes.data_ptr<int64_t>();
  int64_t count = 0;
  for (int64_t i = 0; i < flat_nodes.size(0); ++i) count += label[node[i]] >= 0;
  return count;
}

NodeFeatures treated(const NodeFeatures& features,
                     Treatment::Features treatment) {
  switch (treatment) {
    case Treatment::Features::raw:
      return features;
    case Treatment::Features::row_normalized:
      return row_normalized(features);
    case Treatment::Features::identity:
      return NodeFeatures::identity(features.num_nodes());
  }
  fail("unknown feature treatment {}", static_cast<int>(treatment));
}

// Lists of edges are sorted as pairs of 64-bit numbers into rows of them.
void require_graph_memory(const RawDataset& raw, const GraphOptions& options) {
  constexpr int64_t kBytesPerMessage = 3 * sizeof(int64_t);
  constexpr int64_t kBytesPerNode = 2 * sizeof(int64_t);
  const int64_t num_edges = raw.edges.size(1);
  const int64_t both = options.direction == Direction::undirected ? 2 : 1;
  require_memory(
      kBytesPerMessage * both * num_edges + kBytesPerNode * raw.num_nodes,
      place_of(raw),
      fmt::format("building a graph of {} nodes and {} stored edges",
                  raw.num_nodes, num_edges));
}

// What the graph has made of the stored edges, for provenance.notes.
std::vector<std::string> edge_notes(const NodeDataset& data) {
  const Graph& graph = data.graph;
  const bool weighted = graph.weights().defined();
  std::vector<std::string> notes;
  if (graph.num_duplicates() > 0) {
    notes.push_back(
        fmt::format("{} stored edges repeat an earlier one and count once{}",
                    graph.num_duplicates(),
                    weighted ? ", with the sum of their weights" : ""));
  }
  if (data.ignores_edge_weights) {
    notes.emplace_back("edge weights are ignored: every edge counts the same");
  }
  if (graph.num_uneven_pairs() > 0) {
    notes.push_back(fmt::format(
        "{} pairs of nodes have another weight each way; edges are read both "
        "ways, with the larger one",
        graph.num_uneven_pairs()));
  }
  if (weighted && data.treatment.self_loops == SelfLoops::add) {
    notes.emplace_back("self loops that are added have weight 1");
  }
  return notes;
}

// Share of entries from which a GPU multiplies a dense matrix in less time than
// it sums over lists.
constexpr double kNearlyDense = 1.0 / 16;

bool is_nearly_dense(const NodeFeatures& features) {
  if (features.kind() != NodeFeatures::Kind::sparse) return false;
  const double entries = static_cast<double>(features.rows().col.numel());
  return entries > kNearlyDense * static_cast<double>(features.num_nodes()) *
                       static_cast<double>(features.num_features());
}

}  // namespace

std::string to_string(Treatment::Features features) {
  for (const FeatureTreatmentName& entry : kFeatureTreatments) {
    if (entry.value == features) return entry.name;
  }
  fail("unknown feature treatment {}", static_cast<int>(features));
}

std::string to_string(Treatment::EdgeWeights edge_weights) {
  return kEdgeWeightNames[static_cast<size_t>(edge_weights)];
}

Treatment::EdgeWeights parse_edge_weights(const std::string& name) {
  return core::parse_enum<Treatment::EdgeWeights>("treatment of edge weights",
                                                  name, kEdgeWeightNames);
}

Treatment::Features parse_feature_treatment(const std::string& name) {
  std::vector<std::string> known;
  for (const FeatureTreatmentName& entry : kFeatureTreatments) {
    if (entry.name == name) return entry.value;
    known.emplace_back(entry.name);
  }
  throw UsageError(
      core::unknown_name_message("feature treatment", name, known));
}

void validate(const RawDataset& raw) {
  if (raw.num_nodes < 1) {
    fail("{}: a dataset needs at least one node", place_of(raw));
  }
  check_edges(raw);
  check_edge_weights(raw);
  check_features(raw);
  check_labels(raw);
  for (size_t k = 0; k < raw.splits.size(); ++k) {
    data::check_split(raw.splits[k], raw.num_nodes,
                      fmt::format("{}, split {}", place_of(raw), k));
  }
  check_names(raw, raw.node_names, "node", raw.num_nodes);
  check_names(raw, raw.class_names, "class", raw.num_classes);
  if (has_features(raw)) {
    check_names(raw, raw.feature_names, "feature", raw.features.num_features());
  }
}

NodeDataset prepare(const RawDataset& raw, const Treatment& treatment) {
  validate(raw);
  NodeDataset data;
  data.treatment = treatment;
  if (raw.edges_are_undirected) {
    data.treatment.direction = Direction::undirected;
  }
  GraphOptions graph_options;
  graph_options.direction = data.treatment.direction;
  graph_options.self_loops = data.treatment.self_loops;
  if (treatment.edge_weights == Treatment::EdgeWeights::use) {
    graph_options.weights = raw.edge_weights;
  }
  data.name = raw.name;
  require_graph_memory(raw, graph_options);
  data.graph = core::naming_activity(
      fmt::format("building the graph of '{}'", raw.name), [&] {
        return Graph::from_edges(raw.num_nodes, raw.edges, graph_options);
      });
  data.ignores_edge_weights =
      raw.edge_weights.defined() && !graph_options.weights.defined();
  data.features = treated(raw.features, treatment.features);
  if (treatment.features == Treatment::Features::row_normalized) {
    data.feature_minimum = row_minimum(raw.features);
  }
  data.labels = raw.labels;
  data.num_classes = raw.num_classes;
  data.splits = raw.splits;
  data.split_set = raw.split_set;
  data.node_names = raw.node_names;
  data.class_names = raw.class_names;
  if (treatment.features != Treatment::Features::identity) {
    data.feature_names = raw.feature_names;
    data.columns = raw.columns;
  }
  data.provenance = raw.provenance;
  for (std::string& note : edge_notes(data)) {
    data.provenance.notes.push_back(std::move(note));
  }
  return data;
}

NodeDataset to_device(const NodeDataset& data, at::Device device,
                      at::ScalarType type) {
  NodeDataset out = data;
  out.graph = data.graph.to(device);
  const bool densify = device.is_cuda() && is_nearly_dense(data.features);
  out.features =
      (densify ? NodeFeatures::dense(data.features.to_dense()) : data.features)
          .to(device, type);
  out.labels = data.labels.to(device);
  for (Split& split : out.splits) {
    split = {split.train.to(device), split.val.to(device),
             split.test.to(device)};
  }
  return out;
}

void require_trainable(const NodeDataset& data, const Split& split,
                       const std::string& split_name) {
  const std::string place =
      fmt::format("dataset '{}', split {}", data.name, split_name);
  data::check_split(split, data.num_nodes(), place);
  for (const data::SplitPart& part : data::parts_of(split)) {
    const int64_t size = part.nodes->size(0);
    const bool is_optional = part.nodes == &split.test;
    if (size == 0 && is_optional) continue;
    if (size == 0) {
      fail("{}: the {} part is empty; --split-set chooses other splits", place,
           part.name);
    }
    if (count_labelled(data.labels, *part.nodes) == 0) {
      fail(
          "{}: none of the {} {} nodes has a label; --split-set chooses other "
          "splits",
          place, size, part.name);
    }
  }
  if (data.num_classes < 2) {
    fail(
        "{}: all labelled nodes are of one class; there is nothing to tell "
        "apart",
        place);
  }
}

}  // namespace ordered_gnn
