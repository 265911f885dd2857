#include <algorithm>

#include "data/data_support.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

struct Published {
  const char* name;
  int64_t nodes;
  int64_t edges;  // distinct ordered pairs without loops
  int64_t loops;
  int64_t duplicates;
  int64_t features;
  std::vector<int64_t> class_sizes;
  int64_t num_splits;
  /// Train, val and test of split 0, 1, ...; further splits are as the last.
  std::vector<std::vector<int64_t>> split_sizes;
  double edge_homophily;
  int64_t undirected_edges;  // distinct unordered pairs without loops
  int64_t isolated_nodes;
};

void PrintTo(const Published& dataset, std::ostream* out) {
  *out << dataset.name;
}

class RealData : public ::testing::TestWithParam<Published> {
 protected:
  void SetUp() override {
    ORDERED_GNN_NEEDS_REAL_DATA();
    options_.data = GetParam().name;
  }
  DataOptions options_;
};

TEST_P(RealData, HasThePublishedCounts) {
  const Published& want = GetParam();
  const RawDataset raw = resolve_dataset(options_);
  const DatasetStatistics got = compute_statistics(raw);
  EXPECT_EQ(got.num_nodes, want.nodes);
  EXPECT_EQ(got.num_edges, want.edges);
  EXPECT_EQ(got.num_self_loops, want.loops);
  EXPECT_EQ(got.num_duplicates, want.duplicates);
  EXPECT_EQ(got.num_features, want.features);
  EXPECT_EQ(got.class_sizes, want.class_sizes);
  EXPECT_EQ(got.num_splits, want.num_splits);
  EXPECT_EQ(got.isolated_nodes, want.isolated_nodes);
  EXPECT_EQ(got.num_undirected_edges, want.undirected_edges);
  // The heterophily benchmarks store an undirected edge once.
  const int64_t times_stored = raw.edges_are_undirected ? 2 : 1;
  EXPECT_EQ(got.num_stored_edges,
            want.edges / times_stored + want.loops + want.duplicates);
  EXPECT_NEAR(got.edge_homophily, want.edge_homophily, 6e-5);
}

TEST_P(RealData, HasThePublishedSplitSizes) {
  const RawDataset raw = resolve_dataset(options_);
  for (size_t k = 0; k < raw.splits.size(); ++k) {
    const auto& sizes = GetParam().split_sizes;
    const Split& split = raw.splits[k];
    EXPECT_EQ((std::vector<int64_t>{split.train.size(0), split.val.size(0),
                                    split.test.size(0)}),
              sizes[std::min(k, sizes.size() - 1)])
        << "split " << k;
  }
}

TEST_P(RealData, SurvivesConversion) {
  const TempDir folder;
  const RawDataset raw = resolve_dataset(options_);
  write_npz_dataset(folder / "copy.npz", raw);
  write_csv_dataset(folder / "copy", raw);
  for (const char* name : {"copy.npz", "copy"}) {
    DataOptions copy;
    copy.data = (folder / name).string();
    const RawDataset got = resolve_dataset(copy);
    EXPECT_EQ(got.provenance.fingerprint, raw.provenance.fingerprint) << name;
    EXPECT_EQ(to_string(resolve_treatment(copy.treatment, got).direction),
              to_string(resolve_treatment(options_.treatment, raw).direction));
  }
}

TEST_P(RealData, PreparesWithItsOwnTreatment) {
  const NodeDataset data = load_dataset(options_);
  const bool both_ways = data.treatment.direction == Direction::undirected;
  const int64_t edges =
      both_ways ? 2 * GetParam().undirected_edges : GetParam().edges;
  EXPECT_EQ(data.graph.num_edges(), edges + GetParam().nodes);
  EXPECT_EQ(data.graph.num_self_loops(), GetParam().nodes);
  for (const Split& split : data.splits) {
    EXPECT_NO_THROW(require_trainable(data, split, "any"));
  }
}

std::vector<std::vector<int64_t>> filtered_chameleon_sizes() {
  return {{409, 287, 194}, {427, 302, 161}, {422, 290, 178}, {412, 294, 184},
          {440, 268, 182}, {434, 292, 164}, {418, 284, 188}, {421, 310, 159},
          {431, 287, 172}, {426, 278, 186}};
}

INSTANTIATE_TEST_SUITE_P(
    EveryGraphAtHand, RealData,
    ::testing::Values(Published{"cora",
                                2708,
                                10556,
                                0,
                                302,
                                1433,
                                {351, 217, 418, 818, 426, 298, 180},
                                10,
                                {{1192, 796, 497}},
                                0.8100,
                                5278,
                                0},
                      Published{"citeseer",
                                3327,
                                9104,
                                124,
                                236,
                                3703,
                                {249, 590, 668, 701, 596, 508},
                                10,
                                {{1596, 1065, 666},
                                 {1596, 1065, 666},
                                 {1596, 1065, 666},
                                 {1596, 1065, 666},
                                 // These two keep to the largest component.
                                 {1017, 679, 424},
                                 {1017, 679, 424},
                                 {1596, 1065, 666}},
                                0.7446,
                                4552,
                                48},
                      Published{"texas",
                                183,
                                309,
                                16,
                                0,
                                1703,
                                {33, 1, 18, 101, 30},
                                10,
                                {{87, 59, 37}},
                                0.1119,
                                279,
                                0},
                      Published{"wisconsin",
                                251,
                                499,
                                16,
                                0,
                                1703,
                                {10, 70, 118, 32, 21},
                                10,
                                {{120, 80, 51}},
                                0.2060,
                                450,
                                0},
                      Published{"cornell",
                                183,
                                295,
                                3,
                                0,
                                1703,
                                {33, 1, 18, 101, 30},
                                10,
                                {{87, 59, 37}},
                                0.3036,
                                277,
                                0},
                      Published{"cornell_fixed",
                                183,
                                295,
                                3,
                                0,
                                1703,
                                {38, 16, 30, 82, 17},
                                10,
                                {{87, 59, 37}},
                                0.1321,
                                277,
                                0},
                      Published{"actor",
                                7600,
                                29926,
                                93,
                                3372,
                                932,
                                {853, 1337, 1630, 1815, 1965},
                                10,
                                {{3648, 2432, 1520}},
                                0.2195,
                                26659,
                                0},
                      Published{"chameleon",
                                2277,
                                36051,
                                50,
                                0,
                                2325,
                                {456, 460, 453, 521, 387},
                                10,
                                {{1092, 729, 456}},
                                0.2312,
                                31371,
                                0},
                      Published{"squirrel",
                                5201,
                                216933,
                                140,
                                0,
                                2089,
                                {1042, 1040, 1039, 1040, 1040},
                                10,
                                {{2496, 1664, 1041}},
                                0.2227,
                                198353,
                                0},
                      Published{"pubmed",
                                19717,
                                88648,
                                3,
                                25,
                                500,
                                {4103, 7739, 7875},
                                10,
                                {{9463, 6310, 3944}},
                                0.8024,
                                44324,
                                0},
                      Published{"minesweeper",
                                10000,
                                78804,
                                0,
                                0,
                                7,
                                {8000, 2000},
                                10,
                                {{5000, 2500, 2500}},
                                0.6828,
                                39402,
                                0},
                      Published{"chameleon-filtered",
                                890,
                                17708,
                                0,
                                0,
                                2325,
                                {242, 134, 209, 164, 141},
                                10,
                                filtered_chameleon_sizes(),
                                0.2360,
                                8854,
                                0},
                      Published{"chameleon-filtered-directed",
                                890,
                                13534,
                                50,
                                0,
                                2325,
                                {242, 134, 209, 164, 141},
                                10,
                                filtered_chameleon_sizes(),
                                0.2403,
                                8854,
                                0},
                      Published{"amazon-photo",
                                7650,
                                143662,
                                1,
                                0,
                                745,
                                {369, 1686, 703, 915, 882, 823, 1941, 331},
                                1,
                                {{4590, 1530, 1530}},
                                0.8272,
                                119081,
                                115},
                      Published{"amazon-computers",
                                13752,
                                287209,
                                0,
                                0,
                                767,
                                {436, 2142, 1414, 542, 5158, 308, 487, 818,
                                 2156, 291},
                                1,
                                {{8251, 2750, 2751}},
                                0.7772,
                                245861,
                                281}),
    [](const ::testing::TestParamInfo<Published>& info) {
      std::string name = info.param.name;
      std::replace(name.begin(), name.end(), '-', '_');
      return name;
    });

TEST(RealActor, NotesWhatItsFilesGetWrong) {
  ORDERED_GNN_NEEDS_REAL_DATA();
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
}  // namespace ordered_gnn::data
