#include "data/layout/latent_space.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include <list>
#include <mutex>
#include <utility>

#include "data/layout/closest_pairs.h"
#include "data/layout/latent_cache.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

// Every edge both ways, without loops.
Graph both_ways(const Graph& graph) {
  const at::Tensor senders = graph.in().col.to(at::kLong);
  const at::Tensor receivers = at::repeat_interleave(graph.in().rowptr.diff());
  return Graph::from_edges(graph.num_nodes(), at::stack({senders, receivers}),
                           {Direction::undirected, SelfLoops::remove});
}

LatentParts make_parts(const Graph& graph, const GraphEmbedding& embedding) {
  const Graph here = graph.to(at::kCPU);
  const at::Tensor places = embedding.places(both_ways(here));
  const int64_t count = (here.num_edges() - here.num_self_loops() + 1) / 2;
  return {places.to(at::kFloat), closest_pairs(places, count)};
}

LatentSpace assembled(const LatentParts& parts) {
  return {parts.position,
          Graph::from_edges(parts.position.size(0), parts.pairs,
                            {Direction::undirected, SelfLoops::add})};
}

void tell(const LatentStore& store, const std::string& sentence) {
  if (store.note) store.note(sentence);
}

void write_parts(const LatentParts& parts, const std::string& key,
                 const LatentStore& store) {
  make_latent_folder(store.folder);
  const std::filesystem::path file = latent_file(store.folder, key);
  write_latent_file(file, key, parts);
  tell(store, fmt::format("latent space written to {}", file.string()));
}

// Read from the store, or made anew and written there.
LatentParts stored_parts(const NodeDataset& data,
                         const GraphEmbedding& embedding,
                         const std::string& key, const LatentStore& store) {
  const std::filesystem::path file = latent_file(store.folder, key);
  if (is_there(file)) {
    try {
      LatentParts parts = read_latent_file(file, key, data.num_nodes());
      tell(store, fmt::format("latent space read from {}", file.string()));
      return parts;
    } catch (const Error& error) {
      tell(store, fmt::format("{}; computed again", error.what()));
    }
  }
  make_latent_folder(store.folder);  // ahead of work that could be in vain
  LatentParts parts = make_parts(data.graph, embedding);
  write_parts(parts, key, store);
  return parts;
}

// Runs of one process share what was made last.
class RecentSpaces {
 public:
  LatentSpace get(const NodeDataset& data, const GraphEmbedding& embedding,
                  const LatentStore& store) {
    // Without a fingerprint different data would have one key.
    if (data.provenance.fingerprint.empty()) {
      return make_latent_space(data.graph, embedding);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string key = latent_key(data, embedding.name);
    const bool is_kept = !store.folder.empty();
    for (const Known& known : known_) {
      if (known.key != key) continue;
      if (is_kept && !is_there(latent_file(store.folder, key))) {
        write_parts(known.parts, key, store);
      }
      return known.space;
    }
    LatentParts parts = is_kept ? stored_parts(data, embedding, key, store)
                                : make_parts(data.graph, embedding);
    LatentSpace space = assembled(parts);
    known_.push_front({key, std::move(parts), std::move(space)});
    if (known_.size() > kMost) known_.pop_back();
    return known_.front().space;
  }

 private:
  static constexpr size_t kMost = 8;
  struct Known {
    std::string key;
    LatentParts parts;
    LatentSpace space;
  };
  std::mutex mutex_;
  std::list<Known> known_;
};

}  // namespace

LatentSpace LatentSpace::to(at::Device device) const {
  return {position.to(device), neighbours.to(device)};
}

LatentSpace make_latent_space(const Graph& graph,
                              const GraphEmbedding& embedding) {
  return assembled(make_parts(graph, embedding));
}

LatentSpace latent_space_of(const NodeDataset& data,
                            const GraphEmbedding& embedding,
                            const LatentStore& store) {
  static RecentSpaces recent;
  return recent.get(data, embedding, store).to(data.graph.in().rowptr.device());
}

}  // namespace ordered_gnn::data
