// The array edge_weights of a dataset .npz, and what else may be there.
#include <cmath>

#include "data/data_support.h"
#include "data/formats/npz/dataset.h"

namespace ordered_gnn::data {
namespace {

// A published file with more arrays.
std::filesystem::path file_with_arrays(
    const TempDir& folder, const std::map<std::string, at::Tensor>& more) {
  const std::filesystem::path file = folder / "g.npz";
  core::NpzWriter archive(file);
  archive.add("edges", torch::tensor({{0, 1}, {1, 2}}, at::kLong));
  archive.add("node_labels", ints({0, 1, 0}));
  archive.add("node_features", torch::rand({3, 2}));
  for (const auto& [name, values] : more) archive.add(name, values);
  archive.finish();
  return file;
}

std::string error_for_arrays(const std::map<std::string, at::Tensor>& more) {
  const TempDir folder;
  const std::filesystem::path file = file_with_arrays(folder, more);
  return error_of([&] { load_npz_dataset(file); });
}

TEST(NpzEdgeWeights, ComeBackBitForBit) {
  const TempDir folder;
  expect_weights_come_back(
      folder / "a.npz",
      [](const std::filesystem::path& path, const RawDataset& raw) {
        write_npz_dataset(path, raw);
      },
      [](const std::filesystem::path& path) { return load_npz_dataset(path); });
  write_npz_dataset(folder / "b.npz", small_dataset());
  EXPECT_FALSE(core::NpzReader(folder / "b.npz").contains("edge_weights"));
  EXPECT_FALSE(load_npz_dataset(folder / "b.npz").edge_weights.defined());
}

TEST(NpzEdgeWeights, OfAnyNumberTypeAreRead) {
  for (const at::Tensor& weights : {torch::tensor({3, 0}, at::kLong),
                                    torch::tensor({3.0, 0.0}, at::kDouble),
                                    torch::tensor({3, 0}, at::kByte)}) {
    const TempDir folder;
    const RawDataset raw =
        load_npz_dataset(file_with_arrays(folder, {{"edge_weights", weights}}));
    EXPECT_TRUE(torch::equal(raw.edge_weights, torch::tensor({3.F, 0.F})));
  }
}

TEST(NpzEdgeWeights, ThatAreWrongAreNamed) {
  EXPECT_TRUE(
      contains(error_for_arrays({{"edge_weights", torch::ones({3})}}),
               "edge_weights: expected shape [2], a weight for every row of "
               "edges, got [3]"));
  EXPECT_TRUE(
      contains(error_for_arrays({{"edge_weights", torch::ones({2, 1})}}),
               "expected shape [2]"));
  EXPECT_TRUE(
      contains(error_for_arrays({{"edge_weights", torch::tensor({1.F, -1.F})}}),
               "edge 1 from node 1 to node 2 has the weight -1"));
  EXPECT_TRUE(contains(
      error_for_arrays({{"edge_weights", torch::tensor({std::nanf(""), 1.F})}}),
      "edge 0 from node 0 to node 1 has the weight nan"));
  EXPECT_TRUE(contains(
      error_for_arrays(
          {{"edge_weights", torch::tensor({1e300, 1.0}, at::kDouble)}}),
      "has the weight inf"));
}

TEST(NpzEdgeWeights, TypesOfEdgesAreRefusedWithWhatToDo) {
  for (const char* name : {"edge_type", "edge_types"}) {
    const std::string message = error_for_arrays({{name, ints({0, 1})}});
    EXPECT_TRUE(contains(message, std::string(name) + ": edges have no types"));
    EXPECT_TRUE(contains(message, "one type at a time"));
  }
}

TEST(NpzEdgeWeights, OtherArraysOfEdgesAreNotedAsUnread) {
  const TempDir folder;
  const RawDataset raw = load_npz_dataset(
      file_with_arrays(folder, {{"edge_weight", torch::ones({2})}}));
  EXPECT_FALSE(raw.edge_weights.defined());
  EXPECT_TRUE(contains(raw.provenance.notes.back(),
                       "the array 'edge_weight' is not read"));
}

}  // namespace
}  // namespace ordered_gnn::data
