#include "ordered_gnn/data/dataset.h"

#include "data/data_support.h"

namespace ordered_gnn::data {
namespace {

std::string validation_error(const RawDataset& raw) {
  return error_of([&] { validate(raw); });
}

TEST(Validate, AcceptsADatasetWhoseSplitLeavesNodesOut) {
  EXPECT_EQ(validation_error(small_dataset()), "");
}

TEST(Validate, AcceptsADatasetWithoutAnyLabelOrSplit) {
  RawDataset raw = small_dataset();
  raw.labels.fill_(-1);
  raw.num_classes = 0;
  raw.splits.clear();
  EXPECT_EQ(validation_error(raw), "");
}

TEST(Validate, NamesTheNodeWhoseLabelIsOutOfRange) {
  for (const int64_t label : {int64_t{2}, int64_t{-2}}) {
    RawDataset raw = small_dataset();
    raw.labels[2] = label;
    const std::string message = validation_error(raw);
    EXPECT_TRUE(contains(message, "node 2 has label " + std::to_string(label)));
    EXPECT_TRUE(contains(message, "[0, 2)"));
  }
}

TEST(Validate, RefusesAClassCountThatOnlyAStrayNumberExplains) {
  RawDataset raw = small_dataset();
  raw.num_classes = kMaxClasses + 1;
  EXPECT_TRUE(contains(validation_error(raw), "1000001"));
}

TEST(Validate, NamesTheEdgeToANodeThatDoesNotExist) {
  for (const int64_t node : {int64_t{4}, int64_t{-1}}) {
    RawDataset raw = small_dataset();
    raw.edges[1][2] = node;
    EXPECT_TRUE(contains(validation_error(raw),
                         fmt::format("edge 2 joins nodes 3 and {}", node)));
  }
}

TEST(Validate, NamesTheNodeAndBothPartsOfAnOverlap) {
  RawDataset raw = small_dataset();
  raw.splits[0].test = ints({0, 2});
  const std::string message = validation_error(raw);
  EXPECT_TRUE(contains(message, "split 0"));
  EXPECT_TRUE(contains(message, "node 0 is in both train and test"));
}

TEST(Validate, NamesThePartAndNodeOutOfRange) {
  RawDataset raw = small_dataset();
  raw.splits[0].val = ints({1, 4});
  EXPECT_TRUE(contains(validation_error(raw), "the val part names node 4"));
  raw.splits[0].val = ints({-1, 1});
  EXPECT_TRUE(contains(validation_error(raw), "the val part names node -1"));
}

TEST(Validate, RefusesAPartThatRepeatsOrDisordersNodes) {
  RawDataset raw = small_dataset();
  raw.splits[0].train = ints({3, 0});
  EXPECT_TRUE(contains(validation_error(raw), "node 0 after node 3"));
  raw.splits[0].train = ints({0, 0});
  EXPECT_TRUE(contains(validation_error(raw), "indices must rise"));
}

TEST(Validate, ComparesTheLengthsOfAllParts) {
  RawDataset raw = small_dataset();
  raw.features = NodeFeatures::identity(3);
  EXPECT_TRUE(contains(validation_error(raw), "3 feature rows for 4 nodes"));
  raw = small_dataset();
  raw.labels = ints({0, 1, 1});
  EXPECT_TRUE(contains(validation_error(raw), "labels must be a [4]"));
  raw = small_dataset();
  raw.class_names = {"only one"};
  EXPECT_TRUE(contains(validation_error(raw), "1 class names for 2"));
  raw = small_dataset();
  raw.node_names = {"a", "b"};
  EXPECT_TRUE(contains(validation_error(raw), "2 node names for 4"));
}

TEST(Validate, RefusesADatasetWithoutNodes) {
  EXPECT_TRUE(contains(validation_error(RawDataset{}), "at least one node"));
}

TEST(Prepare, AppliesDirectionLoopsAndFeatures) {
  Treatment treatment;
  treatment.direction = Direction::reversed;
  treatment.self_loops = SelfLoops::remove;
  treatment.features = Treatment::Features::identity;
  const NodeDataset data = prepare(small_dataset(), treatment);
  EXPECT_EQ(data.num_nodes(), 4);
  EXPECT_EQ(data.graph.num_edges(), 3);
  // 0 -> 1 reversed: node 0 hears node 1.
  EXPECT_EQ(data.graph.in().col[0].item<int64_t>(), 1);
  EXPECT_EQ(data.features.kind(), NodeFeatures::Kind::identity);
  EXPECT_EQ(data.treatment.direction, Direction::reversed);
}

TEST(Prepare, RowNormalisesByDefaultAndKeepsRawOnRequest) {
  const RawDataset raw = small_dataset();
  const NodeDataset normalized = prepare(raw, {});
  EXPECT_TRUE(torch::equal(normalized.features.to_dense(),
                           row_normalized(raw.features).to_dense()));
  Treatment treatment;
  treatment.features = Treatment::Features::raw;
  const NodeDataset kept = prepare(raw, treatment);
  EXPECT_TRUE(torch::equal(kept.features.to_dense(), raw.features.to_dense()));
}

TEST(Prepare, SymmetrisesAFileThatStoresEachUndirectedEdgeOnce) {
  RawDataset raw = small_dataset();
  raw.edges_are_undirected = true;
  for (const Direction direction :
       {Direction::as_stored, Direction::reversed, Direction::undirected}) {
    Treatment treatment;
    treatment.direction = direction;
    treatment.self_loops = SelfLoops::remove;
    const NodeDataset data = prepare(raw, treatment);
    EXPECT_EQ(data.graph.num_edges(), 6);
    EXPECT_EQ(data.treatment.direction, Direction::undirected);
  }
}

TEST(Prepare, NotesTheRepeatsItDrops) {
  RawDataset raw = small_dataset();
  EXPECT_TRUE(prepare(raw, {}).provenance.notes.empty());
  raw.edges = torch::tensor({{0, 0, 0}, {1, 1, 1}}, torch::kLong);
  const NodeDataset data = prepare(raw, {});
  ASSERT_EQ(data.provenance.notes.size(), 1u);
  EXPECT_TRUE(contains(data.provenance.notes[0], "2 stored edges repeat"));
}

TEST(Prepare, RefusesAnInvalidDataset) {
  RawDataset raw = small_dataset();
  raw.labels[0] = 9;
  EXPECT_THROW(prepare(raw, {}), Error);
}

TEST(RequireTrainable, AcceptsASplitWithLabelsInEveryPart) {
  const NodeDataset data = prepare(small_dataset(), {});
  EXPECT_NO_THROW(require_trainable(data, data.splits[0], "0"));
}

TEST(RequireTrainable, NamesTheEmptyPart) {
  const NodeDataset data = prepare(small_dataset(), {});
  Split split = data.splits[0];
  split.val = ints({});
  EXPECT_TRUE(contains(error_of([&] { require_trainable(data, split, "7"); }),
                       "split 7: the val part is empty; --split-set"));
}

TEST(RequireTrainable, ATestPartMayBeMissingButNotWithoutLabels) {
  RawDataset raw = small_dataset();
  const NodeDataset data = prepare(raw, {});
  Split split = data.splits[0];
  split.test = ints({});
  EXPECT_NO_THROW(require_trainable(data, split, "0"));
  raw.labels = raw.labels.clone();
  raw.labels.index_fill_(0, raw.splits[0].test, -1);
  const NodeDataset unlabelled = prepare(raw, {});
  EXPECT_TRUE(contains(
      error_of([&] { require_trainable(unlabelled, raw.splits[0], "0"); }),
      "test nodes has a label"));
}

TEST(RequireTrainable, RefusesAPartWithoutAnyLabel) {
  RawDataset raw = small_dataset();
  raw.labels.fill_(-1);
  const NodeDataset data = prepare(raw, {});
  EXPECT_TRUE(
      contains(error_of([&] { require_trainable(data, data.splits[0], "0"); }),
               "none of the 1 train nodes has a label"));
}

TEST(FeatureTreatment, NamesRoundTripAndUnknownOnesAreExplained) {
  for (const auto treatment :
       {Treatment::Features::raw, Treatment::Features::row_normalized,
        Treatment::Features::identity}) {
    EXPECT_EQ(parse_feature_treatment(to_string(treatment)), treatment);
  }
  EXPECT_TRUE(contains(error_of([] { parse_feature_treatment("identty"); }),
                       "did you mean 'identity'"));
}

}  // namespace
}  // namespace ordered_gnn::data
