#include "scale/parts/assign.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <algorithm>

#include "core/io/npy/npy.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

// Two halves that hardly talk.
NodeDataset two_halves() {
  NodeDataset data;
  std::vector<std::pair<int64_t, int64_t>> edges;
  for (int64_t v = 0; v < 100; ++v) {
    for (int64_t step = 1; step < 6; ++step) {
      edges.emplace_back(v, v / 50 * 50 + (v + step * 7) % 50);
    }
  }
  edges.emplace_back(3, 77);
  data.graph = Graph::from_edges(100, edges);
  data.labels = torch::zeros({100}, torch::kLong);
  data.name = "halves";
  return data;
}

std::vector<int64_t> sizes_of(const Assignment& assignment, int64_t parts) {
  std::vector<int64_t> sizes(parts, 0);
  for (const int32_t part : assignment) ++sizes[part];
  return sizes;
}

int64_t cut_of(const NodeDataset& data, const Assignment& assignment,
               int64_t parts) {
  int64_t cut = 0;
  const PartsPlan plan = make_plan(assignment, parts);
  for (const PartSize& part : part_sizes(data.graph, plan)) {
    cut += part.cut_edges;
  }
  return cut;
}

TEST(Assign, MetisFindsTheTwoHalves) {
  if (!has_metis()) GTEST_SKIP() << "this build has no METIS";
  const NodeDataset data = two_halves();
  const Assignment assignment = assign_parts(data, 2, "metis");
  EXPECT_EQ(sizes_of(assignment, 2), (std::vector<int64_t>{50, 50}));
  EXPECT_EQ(cut_of(data, assignment, 2), 1);
  EXPECT_EQ(assign_parts(data, 2, "metis"), assignment);
}

TEST(Assign, StreamCutsFarLessThanChanceAndKeepsThePartsLevel) {
  const NodeDataset data = parts_data("&homophily=0.9");
  const Assignment assignment = assign_parts(data, 4, "stream");
  Assignment by_turns;
  for (int v = 0; v < data.num_nodes(); ++v) by_turns.push_back(v % 4);
  EXPECT_LT(cut_of(data, assignment, 4), 0.8 * cut_of(data, by_turns, 4));
  const std::vector<int64_t> sizes = sizes_of(assignment, 4);
  EXPECT_LT(*std::max_element(sizes.begin(), sizes.end()), 1.3 * 60);
  EXPECT_EQ(assign_parts(data, 4, "stream"), assignment);
}

TEST(Assign, NoPartIsLeftEmptyHoweverManyThereAre) {
  const NodeDataset data = two_halves();
  for (const std::string method : {"stream", "metis"}) {
    if (method == "metis" && !has_metis()) continue;
    for (const int64_t parts : {1, 3, 60, 100}) {
      const std::vector<int64_t> sizes =
          sizes_of(assign_parts(data, parts, method), parts);
      EXPECT_GT(*std::min_element(sizes.begin(), sizes.end()), 0)
          << method << ' ' << parts;
    }
  }
}

TEST(Assign, ReadsPartsFromTextAndFromArrays) {
  const TempDir dir;
  write_text(dir / "p.txt", "0\n2\n1\n\n0\n");
  const Assignment expected = {0, 2, 1, 0};
  EXPECT_EQ(assign_by_file(dir / "p.txt", 4, 3), expected);
  core::write_npy(dir / "p.npy", torch::tensor({0, 2, 1, 0}, torch::kInt));
  EXPECT_EQ(assign_by_file(dir / "p.npy", 4, 3), expected);
}

TEST(Assign, SaysWhatIsWrongWithAFile) {
  const TempDir dir;
  const auto error = [&](const std::string& text) {
    write_text(dir / "p.txt", text);
    return error_of([&] { assign_by_file(dir / "p.txt", 3, 2); });
  };
  EXPECT_TRUE(contains(error("0\n1\n"),
                       "has 2 parts, expected one line for "
                       "each of 3 nodes"));
  EXPECT_TRUE(contains(error("0\n2\n1\n"), "p.txt:2: part 2 is not in 0 to 1"));
  EXPECT_TRUE(contains(error("0\nx\n1\n"), "p.txt:2"));
  EXPECT_TRUE(contains(error("0\n0\n0\n"), "puts no node into part 1 of 2"));
  core::write_npy(dir / "p.npy", torch::rand({3}));
  EXPECT_TRUE(contains(error_of([&] { assign_by_file(dir / "p.npy", 3, 2); }),
                       "expected 3 whole numbers"));
  EXPECT_TRUE(
      contains(error_of([&] { assign_by_file(dir / "no", 3, 2); }), "no"));
}

TEST(Assign, RefusesMorePartsThanNodes) {
  const NodeDataset data = two_halves();
  EXPECT_TRUE(contains(error_of([&] { assign_parts(data, 101, "stream"); }),
                       "--parts 101: 'halves' has 100 nodes"));
  EXPECT_TRUE(contains(error_of([&] { assign_parts(data, 0, "stream"); }),
                       "--parts 0"));
}

}  // namespace
}  // namespace ordered_gnn::scale
