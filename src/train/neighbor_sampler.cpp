#include "train/neighbor_sampler.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "core/weighted_rows.h"
#include "ordered_gnn/core/philox.h"

namespace ordered_gnn::training {
namespace {

// Apart from the keys of dropout and of streams, which are the seed itself.
constexpr uint64_t kNeighborKey = 0x4E65696768626F72;
// Draws of a node, and batches of an epoch, that counters have room for.
constexpr int kDrawBits = 24;
constexpr int kBatchBits = 24;

// The i-th number below `bound` of a node in a step.
int64_t drawn_number(int64_t seed, uint64_t step, int64_t node, int64_t i,
                     int64_t bound) {
  const auto low =
      (static_cast<uint64_t>(node) << kDrawBits) + static_cast<uint64_t>(i);
  const Philox::Block words =
      Philox::block(static_cast<uint64_t>(seed) ^ kNeighborKey, low, step);
  // Rows are far shorter than 2^32, so that a product spreads well enough.
  return static_cast<int64_t>(
      (uint64_t{words[0]} * static_cast<uint64_t>(bound)) >> 32);
}

}  // namespace

int64_t SampledPart::place_of(int64_t node) const {
  return std::lower_bound(nodes.begin(), nodes.end(), node) - nodes.begin();
}

NeighborSampler::NeighborSampler(const Graph& graph, Options options)
    : graph_(graph),
      options_(std::move(options)),
      rowptr_(graph_.in().rowptr.data_ptr<int64_t>()),
      col_(graph_.in().col.data_ptr<int32_t>()),
      found_at_(graph_.num_nodes(), -1) {}

void NeighborSampler::reach(int64_t node) {
  if (found_at_[node] >= 0) return;
  found_at_[node] = static_cast<int32_t>(found_.size());
  found_.push_back(node);
}

// Floyd's algorithm: as many draws as are kept, whatever the length of the row.
void NeighborSampler::draw_places(int64_t node, int64_t length, int64_t most,
                                  uint64_t step) {
  places_.clear();
  if (static_cast<int64_t>(is_taken_.size()) < length) {
    is_taken_.resize(length, false);
  }
  for (int64_t i = 0; i < most; ++i) {
    const int64_t last = length - most + i;
    const int64_t drawn = drawn_number(options_.seed, step, node, i, last + 1);
    places_.push_back(is_taken_[drawn] ? last : drawn);
    is_taken_[places_.back()] = true;
  }
  for (const int64_t place : places_) is_taken_[place] = false;
}

void NeighborSampler::keep_row(int64_t node, int64_t most, uint64_t step) {
  const int32_t* const begin = col_ + rowptr_[node];
  const int32_t* const end = col_ + rowptr_[node + 1];
  const int32_t* const loop =
      std::lower_bound(begin, end, static_cast<int32_t>(node));
  const bool has_loop = loop != end && *loop == node;
  const int64_t others = end - begin - (has_loop ? 1 : 0);
  const auto first = static_cast<int64_t>(kept_.size());
  if (most == kAll || others <= most) {
    kept_.insert(kept_.end(), begin, end);
  } else {
    is_whole_ = false;
    draw_places(node, others, most, step);
    for (const int64_t place : places_) {
      const bool is_behind = has_loop && place >= loop - begin;
      kept_.push_back(begin[place + (is_behind ? 1 : 0)]);
    }
    if (has_loop) kept_.push_back(static_cast<int32_t>(node));
    std::sort(kept_.begin() + first, kept_.end());
  }
  rows_.push_back({first, static_cast<int64_t>(kept_.size())});
}

SampledPart NeighborSampler::draw(const std::vector<int64_t>& seeds,
                                  int64_t epoch, int64_t batch) {
  const uint64_t step = (static_cast<uint64_t>(epoch) << kBatchBits) +
                        static_cast<uint64_t>(batch);
  found_.clear();
  rows_.clear();
  kept_.clear();
  is_whole_ = true;
  for (const int64_t node : seeds) reach(node);
  for (const int64_t most : options_.fanout) {
    const size_t hop_end = found_.size();
    for (size_t i = rows_.size(); i < hop_end; ++i) {
      keep_row(found_[i], most, step);
      const Row row = rows_.back();
      for (int64_t e = row.begin; e < row.end; ++e) reach(kept_[e]);
    }
  }
  SampledPart part = part_of_rows();
  for (const int64_t node : found_) found_at_[node] = -1;
  return part;
}

SampledPart NeighborSampler::part_of_rows() {
  SampledPart part;
  part.nodes = found_;
  std::sort(part.nodes.begin(), part.nodes.end());
  std::vector<int32_t> place(found_.size());  // by when a node was found
  for (size_t i = 0; i < part.nodes.size(); ++i) {
    place[found_at_[part.nodes[i]]] = static_cast<int32_t>(i);
  }
  const auto count = static_cast<int64_t>(part.nodes.size());
  const auto entries = static_cast<int64_t>(kept_.size());
  Adjacency in{at::zeros({count + 1}, at::kLong),
               at::empty({entries}, at::kInt)};
  const at::Tensor kept_degree = at::empty({count}, at::kLong);
  const at::Tensor weights = at::empty({entries}, at::kFloat);
  std::vector<double> degrees;
  auto* const ends = in.rowptr.data_ptr<int64_t>();
  auto* const columns = in.col.data_ptr<int32_t>();
  auto* const kept = kept_degree.data_ptr<int64_t>();
  auto* const weight = weights.data_ptr<float>();
  int64_t out = 0;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t node = part.nodes[i];
    const int64_t degree = rowptr_[node + 1] - rowptr_[node];
    degrees.push_back(std::max<double>(1, static_cast<double>(degree)));
    const auto found = static_cast<size_t>(found_at_[node]);
    const Row row = found < rows_.size() ? rows_[found] : Row{0, 0};
    const int64_t length = row.end - row.begin;
    const bool has_loop =
        std::binary_search(kept_.begin() + row.begin, kept_.begin() + row.end,
                           static_cast<int32_t>(node));
    const int64_t loops = has_loop ? 1 : 0;
    for (int64_t e = row.begin; e < row.end; ++e, ++out) {
      columns[out] = place[found_at_[kept_[e]]];
      weight[out] = kept_[e] == node ? 1.0F
                                     : static_cast<float>(degree - loops) /
                                           static_cast<float>(length - loops);
    }
    ends[i + 1] = out;
    // Who only sends keeps its degree, as does who hears all.
    kept[i] = length > 0 ? length : degree;
  }
  part.graph = options_.weights && !is_whole_
                   ? core::weighted_graph(std::move(in), weights, degrees)
                   : Graph::from_rows(std::move(in), kept_degree);
  return part;
}

}  // namespace ordered_gnn::training
