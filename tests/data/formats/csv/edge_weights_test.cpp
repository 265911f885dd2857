// The third column of edges.csv, and those that it must not have.
#include "core/affixes.h"
#include "core/io/file.h"
#include "data/fingerprint.h"
#include "data/formats/csv/csv_support.h"
#include "data/formats/npz/dataset.h"

namespace ordered_gnn::data {
namespace {

CsvFiles with_edges(const std::string& edges) {
  return small_csv_with({{"edges.csv", edges}});
}

TEST(CsvEdgeWeights, AreReadForNumbersAndForNames) {
  const RawDataset numbers = load_csv(
      with_edges("source,target,weight\n0,1,2\n1,2,0.25\n\"3\",0,1e-3\n"
                 "2,2,+4\n1,0,0\n"));
  const at::Tensor expected = torch::tensor({2.F, 0.25F, 1e-3F, 4.F, 0.F});
  EXPECT_TRUE(torch::equal(numbers.edge_weights, expected));
  EXPECT_EQ(numbers.edges.size(1), 5);
  const RawDataset names =
      load_csv({{"edges.csv", "source,target,weight\na,b,1.5\n\"b\",a,\"7\"\n"},
                {"labels.csv", "node,label\na,x\nb,y\n"}});
  EXPECT_TRUE(torch::equal(names.edge_weights, torch::tensor({1.5F, 7.F})));
  EXPECT_FALSE(load_csv(small_csv()).edge_weights.defined());
  const RawDataset none = load_csv(with_edges("source,target,weight\n"));
  ASSERT_TRUE(none.edge_weights.defined());
  EXPECT_EQ(none.edge_weights.numel(), 0);
}

TEST(CsvEdgeWeights, AreWrittenAndComeBackBitForBit) {
  const TempDir folder;
  const RawDataset back = expect_weights_come_back(
      folder / "a", write_csv_dataset,
      [](const std::filesystem::path& path) { return load_csv_dataset(path); });
  write_npz_dataset(folder / "b.npz", back);
  EXPECT_EQ(content_fingerprint(load_npz_dataset(folder / "b.npz")),
            content_fingerprint(back));
  write_csv_dataset(folder / "c", small_dataset());
  EXPECT_TRUE(core::starts_with(core::read_file(folder / "c" / "edges.csv"),
                                "source,target\n"));
}

TEST(CsvEdgeWeights, ThatAreNoWeightAreNamedWithTheirLine) {
  const auto error = [](const std::string& weight) {
    return csv_error({{"edges.csv", "source,target,weight\n0,1,1\n1,2," +
                                        weight + "\n2,0,1\n"}});
  };
  for (const char* text : {"x", "", "1,5", "0x3", "1 "}) {
    EXPECT_TRUE(contains(error(text), "edges.csv:3:")) << text;
  }
  EXPECT_TRUE(contains(error("strong"), "edge weight"));
  EXPECT_TRUE(contains(error("strong"), "strong"));
  for (const char* text : {"nan", "inf", "-inf", "1e60"}) {
    EXPECT_TRUE(contains(error(text), "edges.csv:3:")) << text;
  }
  EXPECT_TRUE(contains(error("-2"),
                       "edges.csv:3: expected an edge weight of 0 or more, got "
                       "'-2'"));
  EXPECT_TRUE(
      contains(csv_error({{"edges.csv", "source,target,weight\n0,1\n"}}),
               "edges.csv:2: expected 3 columns as in the header, got "
               "2"));
  const std::string of_names = error_of([] {
    load_csv({{"edges.csv", "source,target,weight\na,b,1\nb,a,-1\n"},
              {"labels.csv", "node,label\na,x\nb,y\n"}});
  });
  EXPECT_TRUE(contains(of_names, "edges.csv:3: expected an edge weight"));
}

TEST(CsvEdgeWeights, TypesOfEdgesAreRefusedWithWhatToDo) {
  for (const char* column : {"type", "Relation", "rel", "edge_type"}) {
    for (const char* form :
         {"source,target,{}\n0,1,a\n", "source,target,weight,{}\n0,1,1,a\n"}) {
      const std::string message =
          csv_error({{"edges.csv", fmt::format(fmt::runtime(form), column)}});
      EXPECT_TRUE(contains(message, "edges.csv:1:"));
      EXPECT_TRUE(contains(message, fmt::format("column '{}'", column)));
      EXPECT_TRUE(contains(message, "Train on one type at a time"));
    }
  }
}

TEST(CsvEdgeWeights, OtherColumnsAreRefusedByTheirNames) {
  for (const char* header :
       {"source,target,since", "source,target,weight,since"}) {
    const std::string message =
        csv_error({{"edges.csv", std::string(header) + "\n0,1,2\n"}});
    EXPECT_TRUE(contains(message, "edges.csv:1: column 'since' is not known"));
    EXPECT_TRUE(contains(message, "'weight'"));
  }
  EXPECT_TRUE(contains(
      csv_error({{"edges.csv", "source,target,weight,weight\n0,1,2,3\n"}}),
      "column 'weight' is not known"));
  EXPECT_TRUE(contains(csv_error({{"edges.csv", "target,source,weight\n"}}),
                       "expected the header 'source,target'"));
}

}  // namespace
}  // namespace ordered_gnn::data
