#include "data/data_support.h"
#include "ordered_gnn/data/npz_dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn {
namespace {

struct Published {
  const char* name;
  int64_t nodes;
  int64_t edges;  // distinct ordered pairs without loops
  int64_t loops;
  int64_t duplicates;
  int64_t features;
  std::vector<int64_t> class_sizes;
  std::vector<int64_t> split_sizes;
  double edge_homophily;
};

void PrintTo(const Published& dataset, std::ostream* out) {
  *out << dataset.name;
}

class RealData : public ::testing::TestWithParam<Published> {
 protected:
  void SetUp() override {
    if (real_data().empty()) {
      GTEST_SKIP() << "set OGNN_DATA to the folder of the benchmark data";
    }
    options_.data = GetParam().name;
  }
  DataOptions options_;
};

TEST_P(RealData, HasThePublishedCounts) {
  const Published& want = GetParam();
  const DatasetStatistics got = compute_statistics(resolve_dataset(options_));
  EXPECT_EQ(got.num_nodes, want.nodes);
  EXPECT_EQ(got.num_edges, want.edges);
  EXPECT_EQ(got.num_self_loops, want.loops);
  EXPECT_EQ(got.num_duplicates, want.duplicates);
  EXPECT_EQ(got.num_features, want.features);
  EXPECT_EQ(got.class_sizes, want.class_sizes);
  EXPECT_EQ(got.num_splits, 10);
  EXPECT_EQ(got.isolated_nodes, 0);
  EXPECT_NEAR(got.edge_homophily, want.edge_homophily, 6e-5);
}

TEST_P(RealData, HasThePublishedSplitSizes) {
  const RawDataset raw = resolve_dataset(options_);
  for (const Split& split : raw.splits) {
    EXPECT_EQ((std::vector<int64_t>{split.train.size(0), split.val.size(0),
                                    split.test.size(0)}),
              GetParam().split_sizes);
  }
}

TEST_P(RealData, SurvivesConversion) {
  const TempDir folder;
  const RawDataset raw = resolve_dataset(options_);
  write_npz_dataset(folder / "copy.npz", raw);
  DataOptions copy;
  copy.data = (folder / "copy.npz").string();
  EXPECT_EQ(resolve_dataset(copy).provenance.fingerprint,
            raw.provenance.fingerprint);
}

TEST_P(RealData, PreparesWithItsOwnTreatment) {
  const NodeDataset data = load_dataset(options_);
  EXPECT_EQ(data.graph.num_edges(), GetParam().edges + GetParam().nodes);
  EXPECT_EQ(data.graph.num_self_loops(), GetParam().nodes);
  for (const Split& split : data.splits) {
    EXPECT_NO_THROW(require_trainable(data, split, "any"));
  }
}

INSTANTIATE_TEST_SUITE_P(
    GeomGcn, RealData,
    ::testing::Values(Published{"texas",
                                183,
                                309,
                                16,
                                0,
                                1703,
                                {33, 1, 18, 101, 30},
                                {87, 59, 37},
                                0.1119},
                      Published{"wisconsin",
                                251,
                                499,
                                16,
                                0,
                                1703,
                                {10, 70, 118, 32, 21},
                                {120, 80, 51},
                                0.2060},
                      Published{"cornell",
                                183,
                                295,
                                3,
                                0,
                                1703,
                                {33, 1, 18, 101, 30},
                                {87, 59, 37},
                                0.3036},
                      Published{"cornell_fixed",
                                183,
                                295,
                                3,
                                0,
                                1703,
                                {38, 16, 30, 82, 17},
                                {87, 59, 37},
                                0.1321},
                      Published{"actor",
                                7600,
                                29926,
                                93,
                                3372,
                                932,
                                {853, 1337, 1630, 1815, 1965},
                                {3648, 2432, 1520},
                                0.2195},
                      Published{"chameleon",
                                2277,
                                36051,
                                50,
                                0,
                                2325,
                                {456, 460, 453, 521, 387},
                                {1092, 729, 456},
                                0.2312},
                      Published{"squirrel",
                                5201,
                                216933,
                                140,
                                0,
                                2089,
                                {1042, 1040, 1039, 1040, 1040},
                                {2496, 1664, 1041},
                                0.2227}),
    [](const ::testing::TestParamInfo<Published>& info) {
      return std::string(info.param.name);
    });

TEST(RealActor, NotesWhatItsFilesGetWrong) {
  if (real_data().empty()) {
    GTEST_SKIP() << "set OGNN_DATA to the folder of the benchmark data";
  }
  DataOptions options;
  options.data = "actor";
  const RawDataset raw = resolve_dataset(options);
  EXPECT_EQ(raw.provenance.notes,
            (std::vector<std::string>{
                "10 nodes repeat a feature index; it counts once",
                "the header announces 931 features, the indices need 932"}));
  EXPECT_EQ(raw.features.rows().col.size(0), 40977);
}

}  // namespace
}  // namespace ordered_gnn
