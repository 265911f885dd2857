#include "data/generators/edge_sampler.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <algorithm>

#include "data/generators/alias_table.h"
#include "data/generators/random_streams.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

constexpr int64_t kBlockEdges = 1 << 16;
constexpr int kTries = 64;

struct NodePair {
  int64_t first;
  int64_t second;
};

class EndSampler {
 public:
  explicit EndSampler(const EdgeSamplerOptions& options)
      : classes_(*options.classes),
        first_(*options.first_weights),
        members_(options.num_classes),
        second_(options.num_classes) {
    std::vector<std::vector<double>> weights(options.num_classes);
    for (size_t v = 0; v < classes_.size(); ++v) {
      members_[classes_[v]].push_back(static_cast<int64_t>(v));
      weights[classes_[v]].push_back((*options.second_weights)[v]);
    }
    double total = 0;
    for (int64_t c = 0; c < options.num_classes; ++c) {
      second_[c] = AliasTable(weights[c]);
      total += second_[c].total_weight();
      cumulative_.push_back(total);
    }
  }

  int64_t first(RandomStream& random) const { return first_.draw(random); }

  int64_t second(int64_t first, bool same_class, RandomStream& random) const {
    const int64_t own = classes_[first];
    const int64_t c = same_class ? own : other_class(own, random);
    return members_[c][second_[c].draw(random)];
  }

  bool same_class(const NodePair& pair) const {
    return classes_[pair.first] == classes_[pair.second];
  }

 private:
  // By total weight among the classes but `own`, whose part of the cumulative
  // weights is stepped over.
  int64_t other_class(int64_t own, RandomStream& random) const {
    const double own_weight = second_[own].total_weight();
    double place = random.uniform() * (cumulative_.back() - own_weight);
    if (place >= cumulative_[own] - own_weight) place += own_weight;
    const auto found =
        std::upper_bound(cumulative_.begin(), cumulative_.end(), place);
    const int64_t last = static_cast<int64_t>(cumulative_.size()) - 1;
    int64_t c = std::min<int64_t>(found - cumulative_.begin(), last);
    // Rounding at a boundary can end on `own` or past the last class.
    if (c == own) c = own == last ? own - 1 : own + 1;
    return c;
  }

  const std::vector<int64_t>& classes_;
  AliasTable first_;
  std::vector<std::vector<int64_t>> members_;
  std::vector<AliasTable> second_;
  std::vector<double> cumulative_;
};

// Open addressing with linear probing over keys that are never all ones.
class PairSet {
 public:
  PairSet(int64_t num_nodes, int64_t num_edges, bool directed)
      : num_nodes_(static_cast<uint64_t>(num_nodes)), directed_(directed) {
    size_t capacity = 16;
    while (capacity < static_cast<size_t>(num_edges) * 3 / 2) capacity *= 2;
    slots_.assign(capacity, kFree);
  }

  /// False when the pair is already there.
  bool insert(const NodePair& pair) {
    uint64_t a = static_cast<uint64_t>(pair.first);
    uint64_t b = static_cast<uint64_t>(pair.second);
    if (!directed_ && a > b) std::swap(a, b);
    const uint64_t key = a * num_nodes_ + b;
    size_t slot = (key * 0x9E3779B97F4A7C15u) >> 20;
    for (slot &= slots_.size() - 1; slots_[slot] != kFree;
         slot = (slot + 1) & (slots_.size() - 1)) {
      if (slots_[slot] == key) return false;
    }
    slots_[slot] = key;
    return true;
  }

 private:
  static constexpr uint64_t kFree = ~uint64_t{0};
  uint64_t num_nodes_;
  bool directed_;
  std::vector<uint64_t> slots_;
};

std::vector<NodePair> draw_candidates(const EndSampler& sampler,
                                      const EdgeSamplerOptions& options) {
  std::vector<NodePair> pairs(options.num_edges);
  parallel_ranges(
      options.num_edges, kBlockEdges, [&](int64_t begin, int64_t end) {
        RandomStream random =
            stream_for(options.seed, Draw::edges, begin / kBlockEdges);
        for (int64_t e = begin; e < end; ++e) {
          const int64_t first = sampler.first(random);
          const bool same = random.uniform() < options.homophily;
          pairs[e] = {first, sampler.second(first, same, random)};
        }
      });
  return pairs;
}

// Keeps the first end while that can work, then moves to another.
bool redraw(const EndSampler& sampler, PairSet& taken, RandomStream& random,
            NodePair& pair) {
  const bool same = sampler.same_class(pair);
  for (int attempt = 0; attempt < 2 * kTries; ++attempt) {
    if (attempt >= kTries) pair.first = sampler.first(random);
    pair.second = sampler.second(pair.first, same, random);
    if (pair.first != pair.second && taken.insert(pair)) return true;
  }
  return false;
}

}  // namespace

SampledEdges sample_edges(const EdgeSamplerOptions& options) {
  const EndSampler sampler(options);
  std::vector<NodePair> pairs = draw_candidates(sampler, options);
  PairSet taken(static_cast<int64_t>(options.classes->size()),
                options.num_edges, options.directed);
  RandomStream repairs = stream_for(options.seed, Draw::edge_repairs);
  std::vector<NodePair> kept;
  kept.reserve(pairs.size());
  for (NodePair& pair : pairs) {
    const bool fresh = pair.first != pair.second && taken.insert(pair);
    if (fresh || redraw(sampler, taken, repairs, pair)) kept.push_back(pair);
  }
  const int64_t num_kept = static_cast<int64_t>(kept.size());
  SampledEdges result{at::empty({2, num_kept}, at::kLong),
                      options.num_edges - num_kept};
  int64_t* const ends = result.edges.data_ptr<int64_t>();
  for (int64_t e = 0; e < num_kept; ++e) {
    ends[e] = kept[e].first;
    ends[num_kept + e] = kept[e].second;
  }
  return result;
}

void set_edges(RawDataset& raw, const SampledEdges& sampled, bool directed) {
  raw.edges = sampled.edges;
  raw.edges_are_undirected = !directed;
  if (sampled.num_short == 0) return;
  raw.provenance.notes.push_back(fmt::format(
      "{} edges found no free place and were left out", sampled.num_short));
}

}  // namespace ordered_gnn::data
