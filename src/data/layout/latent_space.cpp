#include "ordered_gnn/data/latent_space.h"

#include <ATen/Functions.h>

#include <list>
#include <mutex>
#include <utility>

#include "core/names.h"
#include "data/layout/closest_pairs.h"
#include "data/layout/graph_embedding.h"
#include "data/layout/latent_cache.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

const std::vector<std::string> kEmbeddingNames = {"isomap", "spectral"};

// Every edge both ways, without loops.
Graph both_ways(const Graph& graph) {
  const at::Tensor senders = graph.in().col.to(at::kLong);
  const at::Tensor receivers = at::repeat_interleave(graph.in().rowptr.diff());
  return Graph::from_edges(graph.num_nodes(), at::stack({senders, receivers}),
                           {Direction::undirected, SelfLoops::remove});
}

data::LatentParts make_parts(const Graph& graph, Embedding embedding) {
  const Graph here = graph.to(at::kCPU);
  const Graph edges = both_ways(here);
  const at::Tensor places = embedding == Embedding::isomap
                                ? data::isomap_places(edges)
                                : data::spectral_places(edges);
  const int64_t count = (here.num_edges() - here.num_self_loops() + 1) / 2;
  return {places.to(at::kFloat), data::closest_pairs(places, count)};
}

LatentSpace assembled(const data::LatentParts& parts) {
  return {parts.position,
          Graph::from_edges(parts.position.size(0), parts.pairs,
                            {Direction::undirected, SelfLoops::add})};
}

// Read or made anew; files are reported in `note`.
data::LatentParts stored_parts(const NodeDataset& data, Embedding embedding,
                               const std::string& key, std::string& note) {
  const auto files = data::latent_files(data, key);
  for (const std::filesystem::path& file : files) {
    if (!data::is_there(file)) continue;
    try {
      data::LatentParts parts =
          data::read_latent_file(file, key, data.num_nodes());
      note += fmt::format("latent space read from {}", file.string());
      return parts;
    } catch (const Error& error) {
      note += fmt::format("{}; computed again. ", error.what());
    }
  }
  data::LatentParts parts = make_parts(data.graph, embedding);
  if (const auto written = data::write_latent_file(files, key, parts)) {
    note += fmt::format("latent space written to {}", written->string());
  }
  return parts;
}

// Runs of one process share what was made last.
class RecentSpaces {
 public:
  LatentSpace get(const NodeDataset& data, Embedding embedding,
                  std::string& note) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const std::string key = data::latent_key(data, embedding);
    for (const auto& [known, space] : spaces_) {
      if (known == key) return space;
    }
    LatentSpace space = assembled(stored_parts(data, embedding, key, note));
    // Without a fingerprint different data would have one key.
    if (data.provenance.fingerprint.empty()) return space;
    spaces_.emplace_front(key, space);
    if (spaces_.size() > kMost) spaces_.pop_back();
    return space;
  }

 private:
  static constexpr size_t kMost = 8;
  std::mutex mutex_;
  std::list<std::pair<std::string, LatentSpace>> spaces_;
};

}  // namespace

std::string to_string(Embedding embedding) {
  return kEmbeddingNames[static_cast<size_t>(embedding)];
}
Embedding parse_embedding(const std::string& name) {
  return core::parse_enum<Embedding>("embedding", name, kEmbeddingNames);
}

LatentSpace LatentSpace::to(at::Device device) const {
  return {position.to(device), neighbours.to(device)};
}

LatentSpace make_latent_space(const Graph& graph, Embedding embedding) {
  return assembled(make_parts(graph, embedding));
}

LatentSpace latent_space_of(const NodeDataset& data, Embedding embedding,
                            std::string* note) {
  static RecentSpaces recent;
  std::string said;
  const LatentSpace space = recent.get(data, embedding, said);
  if (note != nullptr) *note = said;
  return space.to(data.graph.in().rowptr.device());
}

}  // namespace ordered_gnn
