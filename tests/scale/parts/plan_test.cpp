#include "scale/parts/plan.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <set>

#include "ordered_gnn/core/error.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/graphs.h"

namespace ordered_gnn::scale {
namespace {

TEST(PartsPlan, NumbersNodesPartByPartInTheirOriginalOrder) {
  const PartsPlan plan = make_plan({1, 0, 1, 2, 0}, 3);
  EXPECT_EQ(plan.bounds, (std::vector<int64_t>{0, 2, 4, 5}));
  EXPECT_TRUE(torch::equal(plan.original, torch::tensor({1, 4, 0, 2, 3})));
  EXPECT_TRUE(torch::equal(plan.new_id, torch::tensor({2, 0, 3, 4, 1})));
  EXPECT_TRUE(contains(error_of([] {
                         make_plan({0, 0, 2}, 3);
                       }),
                       "part 1 of 3 has no node"));
}

TEST(PartsPlan, IsMadeOfNoMorePartsThanAFolderHolds) {
  const Assignment none(1, 0);
  for (const int64_t parts : {int64_t{-1}, int64_t{0}, kMostParts + 1}) {
    EXPECT_THROW(make_plan(none, parts), UsageError) << parts;
  }
  EXPECT_TRUE(contains(error_of([&] { make_plan(none, kMostParts + 1); }),
                       "--parts 100001: a graph is cut into 1 to 100000"));
  EXPECT_NO_THROW(require_part_count(kMostParts));
}

// By sets, of lists that are walked entry by entry.
HaloRows plain_halo(const Graph& graph, const Assignment& group_of,
                    int64_t groups) {
  const auto count = [&](const Adjacency& lists) {
    const at::Tensor col = lists.col.to(torch::kLong);
    int64_t sum = 0;
    for (int64_t g = 0; g < groups; ++g) {
      std::set<int64_t> outside;
      for (int64_t v = 0; v < graph.num_nodes(); ++v) {
        if (group_of[v] != g) continue;
        for (int64_t e = lists.rowptr[v].item<int64_t>();
             e < lists.rowptr[v + 1].item<int64_t>(); ++e) {
          const int64_t u = col[e].item<int64_t>();
          if (group_of[u] != g) outside.insert(u);
        }
      }
      sum += static_cast<int64_t>(outside.size());
    }
    return sum;
  };
  return {count(graph.in()), count(graph.out())};
}

TEST(PartsPlan, CountsTheNodesOfOthersThatPartsAndRanksHear) {
  const Graph graph = random_graph(60, 300, 3);
  Assignment assignment;
  for (int v = 0; v < 60; ++v) assignment.push_back(v * 7 % 5);
  const PartsPlan plan = make_plan(assignment, 5);
  const HaloRows expected = plain_halo(graph, assignment, 5);
  HaloRows summed;
  int64_t messages = 0;
  for (const PartSize& part : part_sizes(graph, plan)) {
    summed.in += part.in_halo;
    summed.out += part.out_halo;
    messages += part.in_edges;
  }
  EXPECT_EQ(summed.in, expected.in);
  EXPECT_EQ(summed.out, expected.out);
  EXPECT_EQ(messages, graph.num_edges());
  for (const int64_t ranks : {1, 2, 3, 5}) {
    const std::vector<int64_t> bounds = rank_bounds(plan.bounds, ranks);
    Assignment rank_of;
    for (const int32_t part : assignment) {
      int32_t rank = 0;
      while (part >= bounds[rank + 1]) ++rank;
      rank_of.push_back(rank);
    }
    const HaloRows rows = halo_rows(graph, plan, ranks, torch::arange(0));
    const HaloRows plain = plain_halo(graph, rank_of, ranks);
    EXPECT_EQ(rows.in, plain.in) << ranks;
    EXPECT_EQ(rows.out, plain.out) << ranks;
  }
}

TEST(RankBounds, GiveEveryRankARunOfPartsOfAboutItsShare) {
  const std::vector<int64_t> bounds = {0, 10, 20, 30, 40, 100};
  EXPECT_EQ(rank_bounds(bounds, 1), (std::vector<int64_t>{0, 5}));
  EXPECT_EQ(rank_bounds(bounds, 2), (std::vector<int64_t>{0, 4, 5}));
  EXPECT_EQ(rank_bounds(bounds, 5), (std::vector<int64_t>{0, 1, 2, 3, 4, 5}));
  EXPECT_TRUE(
      contains(error_of([&] { rank_bounds(bounds, 6); }), "there are 5 parts"));
  EXPECT_TRUE(contains(error_of([&] { rank_bounds(bounds, 0); }), "--ranks 0"));
}

TEST(OrderParts, PutsPartsSideBySideThatExchangeMuch) {
  // Four parts of a chain that were numbered 0, 2, 1, 3 along it.
  const Graph graph = chain(40);
  Assignment assignment;
  const int32_t names[] = {0, 2, 1, 3};
  for (int v = 0; v < 40; ++v) assignment.push_back(names[v / 10]);
  order_parts(graph, 4, assignment);
  for (int v = 0; v < 40; ++v) EXPECT_EQ(assignment[v], v / 10) << v;
}

}  // namespace
}  // namespace ordered_gnn::scale
