// Parts that are written piece by piece, against those of a graph in memory.
#include "scale/parts/streamed.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <filesystem>

#include "scale/parts/drawn_source.h"
#include "scale/parts/list_store.h"
#include "scale/parts/reader.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

TEST(ListStore, SortsRowsAndDropsRepeats) {
  const TempDir dir;
  ListStore store(dir / "in", 5, /*entries=*/40 << 20);
  EXPECT_GT(store.num_buckets(), 1);
  const std::vector<std::pair<int64_t, int64_t>> entries = {
      {4, 1}, {0, 3}, {2, 2}, {0, 1}, {4, 1}, {4, 0}, {0, 3}};
  for (const auto& [row, column] : entries) store.add(row, column);
  store.sort();
  EXPECT_EQ(store.num_entries(), 5);
  std::vector<std::vector<uint32_t>> rows;
  for (int64_t b = 0; b < store.num_buckets(); ++b) {
    const ListStore::Rows some = store.read(b);
    EXPECT_EQ(some.first, static_cast<int64_t>(rows.size()));
    for (int64_t r = 0; r < some.size(); ++r) {
      rows.emplace_back(some.column.begin() + some.rowptr[r],
                        some.column.begin() + some.rowptr[r + 1]);
    }
  }
  EXPECT_EQ(rows,
            (std::vector<std::vector<uint32_t>>{{1, 3}, {}, {2}, {}, {0, 1}}));
}

std::string spec_of(const std::string& more) {
  return "csbm?nodes=2500&classes=3&splits=2&seed=5&features=7&degree=6" + more;
}

StreamedCut cut_of(const std::filesystem::path& folder, int64_t parts,
                   const Treatment& treatment) {
  StreamedCut cut;
  cut.parts = parts;
  cut.treatment = TreatmentChoice(treatment);
  cut.folder = folder;
  cut.buffer = int64_t{6000} * 32;  // several buckets and walks
  return cut;
}

class StreamedGraphs : public testing::TestWithParam<const char*> {};

TEST_P(StreamedGraphs, AreThoseOfTheGraphInMemory) {
  const TempDir dir;
  NodeDataset data = load_dataset("synthetic:" + spec_of(GetParam()));
  for (const int64_t parts : {1, 2, 7}) {
    const auto folder = write_test_parts(data, parts, dir / "memory.parts");
    const auto source = draw_source(spec_of(GetParam()));
    const PartsManifest streamed =
        write_streamed(*source,
                       cut_of(dir / "streamed.parts", parts, data.treatment))
            .manifest;
    const PartsManifest whole = read_manifest(folder);
    // Checksums of all files among it.
    EXPECT_EQ(parts_fingerprint(streamed), parts_fingerprint(whole)) << parts;
    verify_parts(dir / "streamed.parts", streamed);
    std::filesystem::remove_all(dir / "streamed.parts");
  }
  EXPECT_FALSE(std::filesystem::exists(dir / "streamed.parts.lists"));
}

INSTANTIATE_TEST_SUITE_P(Graphs, StreamedGraphs,
                         testing::Values("", "&directed=true",
                                         "&homophily=0.9&degree_spread=1"));

TEST(StreamedPartsOf, ARingAreTheSameToo) {
  const TempDir dir;
  const std::string spec = "small_world?nodes=1500&features=5&far=0.1&seed=3";
  const NodeDataset data = load_dataset("synthetic:" + spec);
  const PartsManifest whole =
      read_manifest(write_test_parts(data, 4, dir / "memory.parts"));
  const StreamedParts streamed = write_streamed(
      *draw_source(spec), cut_of(dir / "streamed.parts", 4, data.treatment));
  EXPECT_EQ(parts_fingerprint(streamed.manifest), parts_fingerprint(whole));
  EXPECT_EQ(draw_source("pubmed"), nullptr);
}

TEST(StreamedPartsOf, AGraphHaveItsHalo) {
  const TempDir dir;
  const NodeDataset data =
      load_dataset("synthetic:" + spec_of("&directed=true"));
  const Assignment assignment = assign_parts(data, 5, "stream");
  const PartsPlan plan = make_plan(assignment, 5);
  for (const int64_t ranks : {1, 3, 5}) {
    StreamedCut cut = cut_of(dir / "streamed.parts", 5, data.treatment);
    cut.ranks = ranks;
    cut.replace = true;
    const StreamedParts streamed =
        write_streamed(*draw_source(spec_of("&directed=true")), cut);
    const auto expect_same = [&](const HaloRows& found, int64_t of) {
      const HaloRows rows =
          halo_rows(data.graph, plan, of, data.splits[0].train);
      EXPECT_EQ(found.in, rows.in);
      EXPECT_EQ(found.out, rows.out);
      EXPECT_EQ(found.last_in, rows.last_in);
      EXPECT_EQ(found.last_out, rows.last_out);
    };
    expect_same(streamed.all_parts, 5);
    expect_same(streamed.halo, ranks);
  }
}

TEST(StreamedPartsOf, TreatedGraphsAreTheSameToo) {
  const TempDir dir;
  for (const SelfLoops loops : {SelfLoops::keep, SelfLoops::remove}) {
    DataOptions options;
    options.data = "synthetic:" + spec_of("&directed=true");
    options.treatment.direction = Direction::reversed;
    options.treatment.self_loops = loops;
    options.treatment.features = Treatment::Features::row_normalized;
    const NodeDataset data = load_dataset(options);
    const PartsManifest whole =
        read_manifest(write_test_parts(data, 3, dir / "memory.parts"));
    const auto source = draw_source(spec_of("&directed=true"));
    const PartsManifest streamed =
        write_streamed(*source,
                       cut_of(dir / "streamed.parts", 3, data.treatment))
            .manifest;
    EXPECT_EQ(parts_fingerprint(streamed), parts_fingerprint(whole));
    std::filesystem::remove_all(dir / "streamed.parts");
  }
}

TEST(StreamedPartsOf, WhatCannotBeIsRefusedAndLeavesNothing) {
  const TempDir dir;
  const auto error = [&](const std::string& more, int64_t parts) {
    return error_of([&] {
      const auto source = draw_source(spec_of(more));
      write_streamed(*source, cut_of(dir / "g.parts", parts, {}));
    });
  };
  EXPECT_TRUE(contains(error("", 2501), "has 2500 nodes"));
  EXPECT_TRUE(contains(error("", kMostParts + 1), "1 to 100000 parts"));
  EXPECT_TRUE(contains(error("&sparse=true", 2), "sparse"));
  EXPECT_TRUE(std::filesystem::is_empty(dir.path()));
}

TEST(StreamedPartsOf, AGraphAreRefusedBeforeItIsWalked) {
  const TempDir dir;
  const StreamedCut cut = cut_of(dir / "g.parts", 2, {});
  write_streamed(*draw_source(spec_of("")), cut);
  const auto source = draw_source(spec_of(""));
  EXPECT_TRUE(
      contains(error_of([&] { write_streamed(*source, cut); }), "--force"));
  EXPECT_TRUE(source->nodes().edges.defined());
}

}  // namespace
}  // namespace ordered_gnn::scale
