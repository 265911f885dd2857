#include "lab/reproduce/paper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::lab {
namespace {

double published_mean(const std::string& table, const std::string& system,
                      const std::string& column) {
  const std::optional<PublishedValue> value =
      published_value(table, system, column);
  return value ? value->mean : -1;
}

TEST(PaperValues, AreThoseOfTheTables) {
  EXPECT_DOUBLE_EQ(published_mean("table2", "Ordered GNN", "texas"), 86.22);
  EXPECT_DOUBLE_EQ(published_mean("table2", "Ordered GNN", "cora"), 88.37);
  EXPECT_DOUBLE_EQ(published_mean("table2", "measured", "actor"), 37.86);
  EXPECT_DOUBLE_EQ(published_mean("table2", "MLP", "chameleon"), 46.21);
  EXPECT_DOUBLE_EQ(published_mean("table2", "GCNII*", "cora"), 88.37);
  EXPECT_DOUBLE_EQ(published_mean("layers64", "Ordered GNN", "citeseer"), 80.5);
  EXPECT_DOUBLE_EQ(published_mean("layers64", "GraphSAGE+DropEdge", "pubmed"),
                   63.2);
  EXPECT_DOUBLE_EQ(published_mean("ablation", "bare GNN", "over-smoothing"),
                   74.7);
  EXPECT_DOUBLE_EQ(published_mean("ablation", "+++ SOFTOR", "heterophily"),
                   88.04);
  EXPECT_DOUBLE_EQ(published_mean("large", "Ordered GNN", "arxiv-year"), 54.49);
  EXPECT_DOUBLE_EQ(published_mean("runtime", "Ordered GNN", "ogbn-arxiv-4"),
                   255.28);
}

TEST(PaperValues, AreCompleteAndPlausible) {
  std::map<std::string, int> count;
  for (const PublishedEntry& entry : published_values()) {
    ++count[entry.table];
    EXPECT_GT(entry.value.mean, 0);
    const bool times = entry.table == "runtime";
    EXPECT_TRUE(times || entry.value.mean < 100) << entry.system;
    if (entry.value.deviation) {
      EXPECT_GT(*entry.value.deviation, 0) << entry.system;
      EXPECT_LT(*entry.value.deviation, 10) << entry.system;
    }
  }
  // 12 systems and the measured row without PubMed; one entry out of memory.
  EXPECT_EQ(count["table2"], 12 * 9 + 8);
  EXPECT_EQ(count["layers64"], 11 * 3 - 1);
  EXPECT_EQ(count["ablation"], 12);
  EXPECT_EQ(count["large"], 18);
  EXPECT_EQ(count["runtime"], 8);
}

TEST(PaperValues, ColumnsAreDatasetsWeKnow) {
  for (const PublishedEntry& entry : published_values()) {
    if (entry.table == "ablation" || entry.table == "runtime") continue;
    EXPECT_NE(find_named_dataset(entry.column), nullptr) << entry.column;
  }
}

TEST(PaperValues, DeviationAndRunsAreKnownWhereThePaperGivesThem) {
  const auto texas = published_value("table2", "Ordered GNN", "texas");
  ASSERT_TRUE(texas && texas->deviation);
  EXPECT_DOUBLE_EQ(*texas->deviation, 4.12);
  EXPECT_EQ(texas->runs, 10);
  const auto deep = published_value("layers64", "Ordered GNN", "cora");
  ASSERT_TRUE(deep);
  EXPECT_FALSE(deep->deviation);
  EXPECT_EQ(deep->runs, 0);
}

TEST(PaperValues, WhatIsNotThereIsNothing) {
  EXPECT_FALSE(published_value("table2", "measured", "pubmed"));
  EXPECT_FALSE(published_value("layers64", "IncepGCN", "pubmed"));
  EXPECT_FALSE(published_value("depth", "Ordered GNN", "cora"));
  EXPECT_TRUE(published_systems("depth").empty());
  EXPECT_EQ(published_systems("table2").front(), kOrderedGnn);
  EXPECT_EQ(published_systems("table2").size(), 13u);
}

PublishedValue paper(double mean) {
  PublishedValue value;
  value.mean = mean;
  return value;
}

TEST(ComparePublished, CountsInOurStandardErrors) {
  // Deviation 2, four runs: a standard error of 1.
  const Statistics ours{4, 80, 2, 1};
  const PublishedComparison near = compare_published(ours, paper(81.5));
  EXPECT_DOUBLE_EQ(near.difference, -1.5);
  EXPECT_DOUBLE_EQ(near.in_standard_errors.value(), -1.5);
  EXPECT_TRUE(near.inside_two_standard_errors.value());
  EXPECT_FALSE(near.in_joint_standard_errors);
  EXPECT_EQ(verdict(ours, near), "inside two standard errors");
  const PublishedComparison edge = compare_published(ours, paper(82));
  EXPECT_TRUE(edge.inside_two_standard_errors.value());
  EXPECT_EQ(verdict(ours, compare_published(ours, paper(83))),
            "outside two standard errors (below)");
  EXPECT_EQ(verdict(ours, compare_published(ours, paper(77))),
            "outside two standard errors (above)");
}

TEST(ComparePublished, TakesBothSidesWhereTheirsIsKnown) {
  PublishedValue value = paper(85);
  value.deviation = 3 * std::sqrt(10.0);
  value.runs = 10;
  // 4 and 3 make 5.
  const PublishedComparison comparison =
      compare_published({4, 80, 8, 4}, value);
  EXPECT_DOUBLE_EQ(comparison.in_joint_standard_errors.value(), -1);
}

TEST(ComparePublished, OneRunHasNoError) {
  const Statistics ours = describe(std::vector<double>{80});
  const PublishedComparison comparison = compare_published(ours, paper(81));
  EXPECT_DOUBLE_EQ(comparison.difference, -1);
  EXPECT_FALSE(comparison.in_standard_errors);
  EXPECT_FALSE(comparison.inside_two_standard_errors);
  EXPECT_EQ(verdict(ours, comparison), "one run, no error known");
}

TEST(ComparePublished, NorHaveRunsThatAreAllAlike) {
  const Statistics ours = describe(std::vector<double>{80, 80, 80});
  const PublishedComparison comparison = compare_published(ours, paper(81));
  EXPECT_FALSE(comparison.inside_two_standard_errors);
  EXPECT_EQ(verdict(ours, comparison), "runs all alike, no error known");
}

}  // namespace
}  // namespace ordered_gnn::lab
