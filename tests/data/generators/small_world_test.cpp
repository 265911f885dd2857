#include "data/generators/small_world.h"

#include <set>
#include <utility>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

SmallWorldOptions small_ring() {
  SmallWorldOptions options;
  options.nodes = 600;
  options.classes = 3;
  options.features = 4;
  options.degree = 6;
  return options;
}

std::set<std::pair<int64_t, int64_t>> pairs_of(const RawDataset& raw) {
  std::set<std::pair<int64_t, int64_t>> pairs;
  const int64_t count = raw.edges.size(1);
  const int64_t* const end = raw.edges.data_ptr<int64_t>();
  for (int64_t e = 0; e < count; ++e) {
    pairs.insert(std::minmax(end[e], end[count + e]));
  }
  return pairs;
}

TEST(SmallWorld, JoinsEveryNodeToTheNextOnesAroundTheRing) {
  SmallWorldOptions options;
  options.nodes = 7;
  options.classes = 2;
  options.features = 2;
  options.degree = 4;
  options.splits = 0;
  const RawDataset raw = generate_small_world(options);
  std::set<std::pair<int64_t, int64_t>> want;
  for (int64_t v = 0; v < 7; ++v) {
    for (const int64_t steps : {1, 2}) {
      want.insert(std::minmax(v, (v + steps) % 7));
    }
  }
  EXPECT_TRUE(raw.edges_are_undirected);
  EXPECT_EQ(pairs_of(raw), want);
}

TEST(SmallWorld, HasTheAskedSizesAndClassesThatAreArcs) {
  const DatasetStatistics statistics =
      compute_statistics(generate_small_world(small_ring()));
  EXPECT_EQ(statistics.num_edges, 3600);
  EXPECT_EQ(statistics.num_self_loops, 0);
  EXPECT_EQ(statistics.num_duplicates, 0);
  EXPECT_EQ(statistics.class_sizes, std::vector<int64_t>(3, 200));
  EXPECT_GT(statistics.edge_homophily, 0.95);
}

TEST(SmallWorld, SomeEdgesLeadFarAndNoneIsThereTwice) {
  SmallWorldOptions options = small_ring();
  options.far = 0.3;
  const RawDataset raw = generate_small_world(options);
  const auto pairs = pairs_of(raw);
  EXPECT_EQ(static_cast<int64_t>(pairs.size()), raw.edges.size(1));
  int64_t far = 0;
  for (const auto& [low, high] : pairs) {
    EXPECT_NE(low, high);
    far += std::min(high - low, 600 - (high - low)) > 3 ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(far) / static_cast<double>(pairs.size()), 0.3,
              0.05);
}

TEST(SmallWorld, TheSeedDecides) {
  SmallWorldOptions options = small_ring();
  options.far = 0.2;
  const std::string first = content_fingerprint(generate_small_world(options));
  EXPECT_EQ(content_fingerprint(generate_small_world(options)), first);
  options.seed = 1;
  EXPECT_NE(content_fingerprint(generate_small_world(options)), first);
}

TEST(SmallWorld, RefusesAnOddDegreeAndMoreNeighboursThanNodes) {
  SmallWorldOptions options = small_ring();
  options.degree = 5;
  EXPECT_TRUE(contains(error_of([&] { generate_small_world(options); }),
                       "even number"));
  options.degree = 600;
  EXPECT_TRUE(
      contains(error_of([&] { generate_small_world(options); }), "up to 599"));
}

}  // namespace
}  // namespace ordered_gnn::data
