#include "data/fingerprint.h"

#include <algorithm>
#include <functional>
#include <set>

#include "data/data_support.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::data {
namespace {

TEST(Fingerprint, IgnoresNamesNotesAndPaths) {
  const RawDataset raw = small_dataset();
  RawDataset renamed = raw;
  renamed.name = "other";
  renamed.split_set = "other";
  renamed.provenance.notes = {"note"};
  renamed.provenance.files = {"file"};
  renamed.class_names = {"a", "b"};
  EXPECT_EQ(content_fingerprint(raw), content_fingerprint(renamed));
  EXPECT_EQ(content_fingerprint(raw).size(), 64u);
}

TEST(Fingerprint, ChangesWithEveryPartOfTheContent) {
  const RawDataset raw = small_dataset();
  const std::vector<std::function<void(RawDataset&)>> changes = {
      [](RawDataset& r) { r.edges = r.edges.clone().fill_(1); },
      [](RawDataset& r) { r.edges_are_undirected = true; },
      [](RawDataset& r) {
        r.labels = ints({0, 1, 1, 1});
      },
      [](RawDataset& r) { r.num_classes = 3; },
      [](RawDataset& r) { r.features = NodeFeatures::identity(4); },
      [](RawDataset& r) {
        r.features = NodeFeatures::dense(r.features.to_dense() + 1);
      },
      [](RawDataset& r) { r.splits.clear(); },
      [](RawDataset& r) { r.splits[0].val = ints({3}); },
      [](RawDataset& r) { std::swap(r.splits[0].val, r.splits[0].test); },
      [](RawDataset& r) { r.splits.push_back(r.splits[0]); },
  };
  std::set<std::string> seen = {content_fingerprint(raw)};
  for (size_t i = 0; i < changes.size(); ++i) {
    RawDataset changed = raw;
    changes[i](changed);
    EXPECT_TRUE(seen.insert(content_fingerprint(changed)).second) << i;
  }
}

TEST(Fingerprint, DoesNotDependOnThreadsOrMemoryLayout) {
  RawDataset raw = small_dataset();
  raw.num_nodes = 400000;
  raw.features = NodeFeatures::identity(raw.num_nodes);
  raw.labels = torch::arange(raw.num_nodes, torch::kLong).remainder(2);
  const int before = num_threads();
  set_num_threads(1);
  const std::string one = content_fingerprint(raw);
  set_num_threads(3);
  const std::string three = content_fingerprint(raw);
  set_num_threads(before);
  EXPECT_EQ(one, three);
  raw.edges = raw.edges.t().contiguous().t();
  EXPECT_FALSE(raw.edges.is_contiguous());
  EXPECT_EQ(content_fingerprint(raw), one);
}

// Pieces of the hash are of 2^17 ends; those that come are of another size.
TEST(Fingerprint, IsTheSameOfContentThatComesPieceByPiece) {
  const int64_t nodes = 3000, width = 150, piece = int64_t{1} << 17;
  for (const int64_t edges : {int64_t{0}, int64_t{5}, piece / 2 + 3, piece,
                              piece + piece / 3, 3 * piece - 1}) {
    RawDataset raw;
    raw.num_nodes = nodes;
    raw.num_classes = 2;
    raw.labels = torch::arange(nodes, torch::kLong).remainder(2);
    raw.edges = torch::randint(nodes, {2, edges}, torch::kLong);
    raw.edge_weights = torch::rand({edges});
    raw.features = NodeFeatures::dense(torch::rand({nodes, width}));
    raw.splits = {{ints({0, 4}), ints({1}), ints({2, 7})}};
    StreamedFingerprint streamed(edges);
    constexpr int64_t kSome = 12345;
    for (int64_t e = 0; e < edges; e += kSome) {
      const int64_t count = std::min(kSome, edges - e);
      streamed.add_edges(raw.edges.narrow(1, e, count),
                         raw.edge_weights.narrow(0, e, count));
    }
    if (edges == 0) streamed.add_edges(raw.edges, raw.edge_weights);
    for (int64_t v = 0; v < nodes; v += 700) {
      streamed.add_features(raw.features.dense_values().narrow(
          0, v, std::min<int64_t>(700, nodes - v)));
    }
    EXPECT_EQ(streamed.finish(raw, width), content_fingerprint(raw)) << edges;
  }
}

}  // namespace
}  // namespace ordered_gnn::data
