#include "data/layout/latent_space.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <fstream>

#include "core/io/file.h"
#include "data/layout/graph_embedding.h"
#include "data/layout/latent_cache.h"
#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"
#include "support/graphs.h"
#include "support/temp_dir.h"
#include "support/tensors.h"

namespace ordered_gnn::data {
namespace {

using Pairs = std::vector<std::pair<int64_t, int64_t>>;

Graph path(int64_t num_nodes) {
  Pairs edges;
  for (int64_t v = 0; v + 1 < num_nodes; ++v) edges.emplace_back(v, v + 1);
  return Graph::from_edges(num_nodes, edges,
                           {Direction::undirected, SelfLoops::remove});
}

TEST(Isomap, PutsAPathOnALine) {
  const at::Tensor places = isomap_places(path(5));
  const at::Tensor steps = places.diff(1, 0);
  EXPECT_TRUE(
      close_to(steps.select(1, 0).abs(), torch::ones({4}, at::kDouble)));
  EXPECT_TRUE(torch::allclose(places.select(1, 1),
                              torch::zeros({5}, at::kDouble), 0, 1e-6));
}

TEST(Isomap, KeepsTheDistancesOfASquare) {
  // The hops of a ring of four are 1 and 2; the plane's best are equal sides.
  const Graph ring =
      Graph::from_edges(4, Pairs{{0, 1}, {1, 2}, {2, 3}, {3, 0}},
                        {Direction::undirected, SelfLoops::remove});
  const at::Tensor places = isomap_places(ring);
  const auto apart = [&](int64_t a, int64_t b) {
    return (places[a] - places[b]).norm().item<double>();
  };
  EXPECT_NEAR(apart(0, 1), apart(1, 2), 1e-9);
  EXPECT_NEAR(apart(0, 2), 2, 1e-9);
  EXPECT_NEAR(apart(1, 3), 2, 1e-9);
}

TEST(Isomap, LandmarksPlaceTheNodesBetweenThem) {
  const at::Tensor places = isomap_places(path(1500));
  const at::Tensor steps = places.select(1, 0).diff().abs();
  // Equal steps along the line, of the length of a hop.
  EXPECT_NEAR(steps.mean().item<double>(), 1, 1e-6);
  EXPECT_NEAR(steps.min().item<double>(), 1, 1e-6);
}

TEST(Isomap, PartsWithoutAPathAreKeptApart) {
  const Graph graph = Graph::from_edges(
      4, Pairs{{0, 1}, {2, 3}}, {Direction::undirected, SelfLoops::remove});
  const at::Tensor places = isomap_places(graph);
  EXPECT_TRUE(places.isfinite().all().item<bool>());
  EXPECT_GT((places[0] - places[2]).norm().item<double>(),
            (places[0] - places[1]).norm().item<double>());
}

TEST(SpectralPlaces, SeparateTheTwoSidesOfABridge) {
  Pairs edges = {{0, 5}};
  for (int64_t side : {0, 5}) {
    for (int64_t a = 0; a < 5; ++a) {
      for (int64_t b = 0; b < a; ++b) edges.emplace_back(side + a, side + b);
    }
  }
  const at::Tensor x = spectral_places(Graph::from_edges(10, edges,
                                                         {Direction::undirected,
                                                          SelfLoops::remove}))
                           .select(1, 0);
  const double sign = x[0].item<double>();
  for (int64_t v = 0; v < 10; ++v) {
    EXPECT_GT(x[v].item<double>() * sign * (v < 5 ? 1 : -1), 0) << v;
  }
}

TEST(LatentSpaces, HaveAsManyNeighboursAsTheGraph) {
  const Graph graph = random_graph(80, 300, 4);
  for (const GraphEmbedding& embedding : {kIsomap, kSpectral}) {
    const LatentSpace space = make_latent_space(graph, embedding);
    EXPECT_EQ(space.position.sizes(), at::IntArrayRef({80, 2}));
    const int64_t edges = graph.num_edges() - graph.num_self_loops();
    EXPECT_EQ(space.neighbours.num_self_loops(), 80);
    EXPECT_NEAR(space.neighbours.num_edges() - 80, edges, 1);
  }
}

TEST(LatentSpaces, AreFiniteForEverySmallGraph) {
  for (const NamedGraph& named : small_graphs()) {
    for (const GraphEmbedding& embedding : {kIsomap, kSpectral}) {
      const LatentSpace space = make_latent_space(named.graph, embedding);
      EXPECT_EQ(space.position.size(0), named.graph.num_nodes()) << named.name;
      EXPECT_TRUE(space.position.isfinite().all().item<bool>()) << named.name;
    }
  }
}

TEST(LatentSpaces, AreTheSameBitsForAnyNumberOfThreads) {
  const Graph graph = random_graph(700, 3000, 9);
  for (const GraphEmbedding& embedding : {kIsomap, kSpectral}) {
    set_num_threads(1);
    const LatentSpace one = make_latent_space(graph, embedding);
    set_num_threads(2);
    const LatentSpace two = make_latent_space(graph, embedding);
    set_num_threads(0);
    EXPECT_TRUE(torch::equal(one.position, two.position));
    EXPECT_TRUE(torch::equal(one.neighbours.in().col, two.neighbours.in().col));
  }
}

class LatentFiles : public testing::Test {
 protected:
  LatentFiles() { data_.graph = random_graph(40, 150, 2); }

  // Fingerprints of their own keep the memory of the process apart.
  void name_data(const std::string& fingerprint) {
    data_.provenance.fingerprint = fingerprint;
  }
  LatentSpace load() {
    notes_.clear();
    return latent_space_of(data_, kIsomap, {folder_, [this](const auto& note) {
                                              notes_ += note + "\n";
                                            }});
  }
  std::string key() const { return latent_key(data_, kIsomap.name); }
  std::filesystem::path file() const { return latent_file(folder_, key()); }

  TempDir dir_;
  std::filesystem::path folder_ = dir_ / "kept" / "here";
  NodeDataset data_;
  std::string notes_;
};

TEST_F(LatentFiles, AreWrittenToTheFolderAndReadBack) {
  name_data("written and read");
  const LatentSpace made = load();
  EXPECT_EQ(notes_, "latent space written to " + file().string() + "\n");
  const LatentParts parts = read_latent_file(file(), key(), data_.num_nodes());
  EXPECT_TRUE(torch::equal(parts.position, made.position));
  EXPECT_EQ(2 * parts.pairs.size(1) + 40, made.neighbours.num_edges());
  load();
  EXPECT_EQ(notes_, "") << "the process knows it by now";
}

TEST_F(LatentFiles, OfAnotherProcessAreTakenAsTheyAre) {
  name_data("of another process");
  const at::Tensor places = torch::arange(80, at::kFloat).view({40, 2});
  make_latent_folder(folder_);
  write_latent_file(file(), key(),
                    {places, torch::tensor({{0}, {1}}, at::kLong)});
  EXPECT_TRUE(torch::equal(load().position, places));
  EXPECT_EQ(notes_, "latent space read from " + file().string() + "\n");
}

TEST_F(LatentFiles, AreNotWrittenUnlessAskedFor) {
  name_data("asked for later");
  data_.provenance.files = {(dir_ / "edges.txt").string()};
  const LatentSpace made = latent_space_of(data_, kIsomap);
  EXPECT_TRUE(std::filesystem::is_empty(dir_.path()));
  EXPECT_TRUE(torch::equal(load().position, made.position));
  EXPECT_TRUE(contains(notes_, "written to")) << "what the process knows too";
  EXPECT_TRUE(std::filesystem::exists(file()));
}

TEST_F(LatentFiles, AreNotKeptForDataWithoutAFingerprint) {
  EXPECT_EQ(load().position.size(0), 40);
  EXPECT_EQ(notes_, "");
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(LatentFiles, ADamagedFileIsReportedAndMadeAgain) {
  make_latent_folder(folder_);
  for (const char* damage : {"", "short", "cut"}) {
    name_data(std::string("damaged ") + damage);
    if (std::string(damage) == "cut") {
      write_latent_file(
          file(), key(),
          {torch::zeros({39, 2}), torch::zeros({2, 0}, at::kLong)});
    } else {
      core::write_file(file(), damage);
    }
    load();
    EXPECT_TRUE(contains(notes_, "computed again")) << notes_;
    EXPECT_TRUE(contains(notes_, "written to")) << notes_;
    read_latent_file(file(), key(), 40);
  }
}

TEST_F(LatentFiles, RefuseWhatDoesNotBelongToTheData) {
  name_data("a file to spoil");
  make_latent_folder(folder_);
  const auto error = [&](const LatentParts& parts, const std::string& under) {
    write_latent_file(file(), under, parts);
    return error_of([&] { read_latent_file(file(), key(), 40); });
  };
  const at::Tensor places = torch::zeros({40, 2});
  const at::Tensor pairs = torch::zeros({2, 1}, at::kLong);
  EXPECT_TRUE(contains(error({places, pairs}, "x"), "belongs to other data"));
  EXPECT_TRUE(contains(error({places, pairs + 40}, key()), "not there"));
  EXPECT_TRUE(
      contains(error({places / 0, pairs}, key()), "one place per node"));
  EXPECT_TRUE(contains(error({places, places}, key()), "pairs"));
}

TEST_F(LatentFiles, AFolderThatCannotBeMadeIsAnError) {
  name_data("nowhere to write");
  core::write_file(dir_ / "kept", "no folder");
  const std::string message = error_of([&] { load(); });
  EXPECT_TRUE(contains(message, folder_.string())) << message;
  EXPECT_TRUE(contains(message, "cannot be made")) << message;
  folder_.clear();
  EXPECT_EQ(load().position.size(0), 40) << "the error left nothing behind";
}

}  // namespace
}  // namespace ordered_gnn::data
