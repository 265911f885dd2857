#include <algorithm>
#include <sstream>
#include <stdexcept>

#include "data/data_support.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/data/statistics.h"

namespace ordered_gnn::data {
namespace {

struct Published {
  const char* name;
  std::vector<int64_t> class_sizes;
  int64_t num_splits;
  /// Train, val and test of split 0, 1, ...; further splits are as the last.
  std::vector<std::vector<int64_t>> split_sizes;
};

struct PublishedCounts {
  int64_t nodes;
  int64_t edges;             // distinct ordered pairs without loops
  int64_t undirected_edges;  // distinct unordered pairs without loops
  int64_t loops;
  int64_t duplicates;
  int64_t isolated_nodes;
  int64_t features;
  double edge_homophily;
};

// In the order of PublishedCounts.
constexpr const char* kPublishedCounts = R"(
cora                          2708  10556   5278   0  302   0 1433 0.8100
citeseer                      3327   9104   4552 124  236  48 3703 0.7446
texas                          183    309    279  16    0   0 1703 0.1119
wisconsin                      251    499    450  16    0   0 1703 0.2060
cornell                        183    295    277   3    0   0 1703 0.3036
cornell_fixed                  183    295    277   3    0   0 1703 0.1321
actor                         7600  29926  26659  93 3372   0  932 0.2195
chameleon                     2277  36051  31371  50    0   0 2325 0.2312
squirrel                      5201 216933 198353 140    0   0 2089 0.2227
pubmed                       19717  88648  44324   3   25   0  500 0.8024
minesweeper                  10000  78804  39402   0    0   0    7 0.6828
chameleon-filtered             890  17708   8854   0    0   0 2325 0.2360
chameleon-filtered-directed    890  13534   8854  50    0   0 2325 0.2403
amazon-photo                  7650 143662 119081   1    0 115  745 0.8272
amazon-computers             13752 287209 245861   0    0 281  767 0.7772
)";

PublishedCounts counts_of(const std::string& graph) {
  std::istringstream table(kPublishedCounts);
  for (std::string name; table >> name;) {
    PublishedCounts row{};
    table >> row.nodes >> row.edges >> row.undirected_edges >> row.loops >>
        row.duplicates >> row.isolated_nodes >> row.features >>
        row.edge_homophily;
    if (name == graph) return row;
  }
  throw std::logic_error("no counts of " + graph);
}

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
  const PublishedCounts want = counts_of(GetParam().name);
  const RawDataset raw = resolve_dataset(options_);
  const DatasetStatistics got = compute_statistics(raw);
  EXPECT_EQ(got.num_nodes, want.nodes);
  EXPECT_EQ(got.num_edges, want.edges);
  EXPECT_EQ(got.num_self_loops, want.loops);
  EXPECT_EQ(got.num_duplicates, want.duplicates);
  EXPECT_EQ(got.num_features, want.features);
  EXPECT_EQ(got.class_sizes, GetParam().class_sizes);
  EXPECT_EQ(got.num_splits, GetParam().num_splits);
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
  const PublishedCounts counts = counts_of(GetParam().name);
  const bool both_ways = data.treatment.direction == Direction::undirected;
  const int64_t edges = both_ways ? 2 * counts.undirected_edges : counts.edges;
  EXPECT_EQ(data.graph.num_edges(), edges + counts.nodes);
  EXPECT_EQ(data.graph.num_self_loops(), counts.nodes);
  for (const Split& split : data.splits) {
    EXPECT_NO_THROW(require_trainable(data, split, "any"));
  }
}

std::vector<std::vector<int64_t>> filtered_chameleon_sizes() {
  return {{409, 287, 194}, {427, 302, 161}, {422, 290, 178}, {412, 294, 184},
          {440, 268, 182}, {434, 292, 164}, {418, 284, 188}, {421, 310, 159},
          {431, 287, 172}, {426, 278, 186}};
}

std::vector<Published> published() {
  return {
      {"cora", {351, 217, 418, 818, 426, 298, 180}, 10, {{1192, 796, 497}}},
      {"citeseer",
       {249, 590, 668, 701, 596, 508},
       10,
       {{1596, 1065, 666},
        {1596, 1065, 666},
        {1596, 1065, 666},
        {1596, 1065, 666},
        // These two keep to the largest component.
        {1017, 679, 424},
        {1017, 679, 424},
        {1596, 1065, 666}}},
      {"texas", {33, 1, 18, 101, 30}, 10, {{87, 59, 37}}},
      {"wisconsin", {10, 70, 118, 32, 21}, 10, {{120, 80, 51}}},
      {"cornell", {33, 1, 18, 101, 30}, 10, {{87, 59, 37}}},
      {"cornell_fixed", {38, 16, 30, 82, 17}, 10, {{87, 59, 37}}},
      {"actor", {853, 1337, 1630, 1815, 1965}, 10, {{3648, 2432, 1520}}},
      {"chameleon", {456, 460, 453, 521, 387}, 10, {{1092, 729, 456}}},
      {"squirrel", {1042, 1040, 1039, 1040, 1040}, 10, {{2496, 1664, 1041}}},
      {"pubmed", {4103, 7739, 7875}, 10, {{9463, 6310, 3944}}},
      {"minesweeper", {8000, 2000}, 10, {{5000, 2500, 2500}}},
      {"chameleon-filtered",
       {242, 134, 209, 164, 141},
       10,
       filtered_chameleon_sizes()},
      {"chameleon-filtered-directed",
       {242, 134, 209, 164, 141},
       10,
       filtered_chameleon_sizes()},
      {"amazon-photo",
       {369, 1686, 703, 915, 882, 823, 1941, 331},
       1,
       {{4590, 1530, 1530}}},
      {"amazon-computers",
       {436, 2142, 1414, 542, 5158, 308, 487, 818, 2156, 291},
       1,
       {{8251, 2750, 2751}}}};
}

INSTANTIATE_TEST_SUITE_P(EveryGraphAtHand, RealData,
                         ::testing::ValuesIn(published()),
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
