#include "scale/parts/writer.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

#include "data/split_checks.h"
#include "scale/parts/reader.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

// Puts the parts together again, row by row and by original ids.
void expect_same(const NodeDataset& data, const std::filesystem::path& folder) {
  const PartsManifest manifest = read_manifest(folder);
  EXPECT_EQ(manifest.num_nodes, data.num_nodes());
  EXPECT_EQ(manifest.num_edges, data.graph.num_edges());
  std::vector<at::Tensor> originals;
  std::vector<Part> parts;
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    parts.push_back(read_part(folder, manifest, p));
    originals.push_back(parts.back().original);
  }
  const at::Tensor original = torch::cat(originals);
  EXPECT_TRUE(torch::equal(std::get<0>(original.sort()),
                           torch::arange(data.num_nodes())));
  const auto expect_lists = [&](const Adjacency& part, int64_t row,
                                const Adjacency& whole, int64_t node) {
    const auto entries = [](const Adjacency& lists, int64_t r) {
      const int64_t begin = lists.rowptr[r].item<int64_t>();
      return lists.col
          .narrow(0, begin, lists.rowptr[r + 1].item<int64_t>() - begin)
          .to(torch::kLong);
    };
    EXPECT_TRUE(torch::equal(original.index_select(0, entries(part, row)),
                             entries(whole, node)))
        << node;
  };
  const at::Tensor features = data.features.to_dense();
  for (const Part& part : parts) {
    EXPECT_TRUE(
        torch::equal(part.labels, data.labels.index_select(0, part.original)));
    EXPECT_TRUE(torch::equal(part.features.to_dense(),
                             features.index_select(0, part.original)));
    for (int64_t r = 0; r < part.rows(); ++r) {
      const int64_t node = part.original[r].item<int64_t>();
      expect_lists(part.in, r, data.graph.in(), node);
      expect_lists(part.out, r, data.graph.out(), node);
    }
    for (size_t s = 0; s < data.splits.size(); ++s) {
      int64_t mark = 1;
      for (const auto& set : data::parts_of(data.splits[s])) {
        const at::Tensor marked = part.original.masked_select(
            part.splits[static_cast<int64_t>(s)].eq(mark++));
        EXPECT_TRUE(torch::isin(marked, *set.nodes).all().item<bool>());
      }
    }
  }
}

TEST(PartsWriter, WritesWhatCanBePutTogetherAgain) {
  const TempDir dir;
  const NodeDataset dense = parts_data();
  for (const int64_t parts : {1, 3, 7}) {
    expect_same(dense, write_test_parts(dense, parts, dir / "g.parts"));
  }
}

TEST(PartsWriter, KeepsSparseFeaturesSparse) {
  const TempDir dir;
  NodeDataset data = parts_data();
  data.features = NodeFeatures::identity(data.num_nodes());
  expect_same(data, write_test_parts(data, 4, dir / "g.parts"));
  EXPECT_TRUE(read_manifest(dir / "g.parts").sparse_features);
}

TEST(PartsWriter, GivesTheSameFolderTheSameFingerprint) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const auto fingerprint = [&](int64_t parts, const char* name) {
    return parts_fingerprint(
        read_manifest(write_test_parts(data, parts, dir / name)));
  };
  const std::string first = fingerprint(3, "a.parts");
  EXPECT_EQ(fingerprint(3, "b.parts"), first);
  EXPECT_NE(fingerprint(4, "c.parts"), first);
  EXPECT_EQ(read_manifest(dir / "a.parts").data_fingerprint,
            data.provenance.fingerprint);
}

TEST(PartsWriter, DoesNotReplaceWhatIsNotItsOwn) {
  const TempDir dir;
  const NodeDataset data = parts_data();
  const Assignment assignment = assign_parts(data, 2, "stream");
  const auto write = [&](bool replace) {
    return error_of([&] {
      write_parts(data, assignment, 2, "stream", dir / "g.parts", replace);
    });
  };
  EXPECT_EQ(write(false), "");
  EXPECT_TRUE(contains(write(false), "--force"));
  EXPECT_TRUE(
      contains(error_of([&] { require_free_folder(dir / "g.parts", false); }),
               "--force"));
  EXPECT_NO_THROW(require_free_folder(dir / "g.parts", true));
  EXPECT_NO_THROW(require_free_folder(dir / "other.parts", false));
  EXPECT_EQ(write(true), "");
  // What a killed writer left is replaced unasked.
  std::filesystem::remove(dir / "g.parts/parts.json");
  EXPECT_EQ(write(false), "");
  write_text(dir / "g.parts/thesis.tex", "precious");
  EXPECT_TRUE(contains(write(true), "no folder of parts of ours"));
  EXPECT_TRUE(std::filesystem::exists(dir / "g.parts/thesis.tex"));
}

TEST(PartsWriter, LeavesNothingBehindWhenItFails) {
  const TempDir dir;
  {
    PartsManifest manifest;
    manifest.bounds = {0, 2};
    manifest.parts.resize(1);
    PartsWriter writer(dir / "g.parts", manifest, false);
    writer.add_nodes(0, torch::zeros({2}, torch::kLong),
                     torch::zeros({1, 2}, torch::kByte), torch::arange(2));
    EXPECT_TRUE(std::filesystem::exists(dir / "g.parts/part-0000/labels.npy"));
  }
  EXPECT_TRUE(dir.names().empty());
}

TEST(PartsWriter, RefusesWeightsOfEdges) {
  const TempDir dir;
  NodeDataset data = parts_data();
  GraphOptions options;
  options.weights = torch::ones({1});
  data.graph =
      Graph::from_edges(data.num_nodes(), torch::tensor({{0}, {1}}), options);
  EXPECT_TRUE(
      contains(error_of([&] { write_test_parts(data, 2, dir / "g.parts"); }),
               "weights of edges"));
}

}  // namespace
}  // namespace ordered_gnn::scale
