// Files that are read piece by piece and cannot be right, each refused as when
// they are read whole.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/io/file.h"
#include "data/load_dataset.h"
#include "scale/parts/streamed_support.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

// A folder of which one file is changed.
struct BadFile {
  const char* name;
  const char* file;
  std::string (*change)(std::string text);
  const char* error;
};

std::string without_last_line(std::string text) {
  text.resize(text.rfind('\n', text.size() - 2) + 1);
  return text;
}

std::string with_line(const std::string& text, const std::string& line) {
  const size_t second = text.find('\n', text.find('\n') + 1) + 1;
  return text.substr(0, second) + line +
         text.substr(text.find('\n', second) + 1);
}

class BadFiles : public testing::TestWithParam<BadFile> {
 protected:
  // @param folder  all that is in `dir_`.
  // @param file    of the folder, to be changed.
  void expect_refused(const fs::path& folder, const fs::path& file) {
    write_text(file, GetParam().change(core::read_file(file)));
    DataOptions options = of_path(folder);
    const std::string streamed =
        error_of([&] { stream(options, dir_ / "g.parts", 3); });
    EXPECT_TRUE(contains(streamed, GetParam().error));
    EXPECT_EQ(streamed, error_of([&] { load_training_dataset(options); }));
    EXPECT_EQ(dir_.names(),
              std::vector<std::string>{folder.filename().string()});
  }

  const TempDir dir_;
};

class BadOgbFiles : public BadFiles {};

TEST_P(BadOgbFiles, AreRefusedByLineAndLeaveNothing) {
  const fs::path folder = write_ogb(dir_ / "ogb", 0, false);
  expect_refused(folder, folder / "raw" / GetParam().file);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadOgbFiles,
    testing::Values(
        BadFile{"far_node", "edge.csv",
                [](std::string text) { return with_line(text, "1,300\n"); },
                "edge.csv:3: expected a node number in [0, 300)"},
        BadFile{"one_end", "edge.csv",
                [](std::string text) { return with_line(text, "17\n"); },
                "edge.csv:3: expected 'FROM,TO'"},
        BadFile{"missing_edge", "edge.csv", &without_last_line, "states"},
        BadFile{
            "endless_edges", "num-edge-list.csv",
            [](std::string) -> std::string { return "9223372036854775807\n"; },
            "states 9223372036854775807"},
        BadFile{"missing_row", "node-feat.csv", &without_last_line,
                "has 299 feature rows"},
        BadFile{
            "nan", "node-feat.csv",
            [](std::string text) { return with_line(text, "1,2,nan,4,5\n"); },
            "node-feat.csv:3: "},
        BadFile{"narrow", "node-feat.csv",
                [](std::string text) { return with_line(text, "1,2,3\n"); },
                "node-feat.csv:3: expected 5 feature values, got 3"},
        BadFile{"label", "node-label.csv",
                [](std::string text) { return with_line(text, "x\n"); },
                "node-label.csv:3: expected a class"}),
    [](const auto& info) { return info.param.name; });

class BadCsvFiles : public BadFiles {};

TEST_P(BadCsvFiles, AreRefusedByLineAndLeaveNothing) {
  const fs::path folder = write_csv(dir_ / "csv", {});
  expect_refused(folder, folder / GetParam().file);
}

INSTANTIATE_TEST_SUITE_P(
    Files, BadCsvFiles,
    testing::Values(
        BadFile{"unknown_node", "edges.csv",
                [](std::string text) { return with_line(text, "1,300\n"); },
                "edges.csv:3: node '300' is not among"},
        BadFile{"edge_width", "edges.csv",
                [](std::string text) { return with_line(text, "1,2,3\n"); },
                "edges.csv:3: expected 2 columns"},
        BadFile{
            "repeated", "features.csv",
            [](std::string text) { return with_line(text, "0,1,2,3,4,5\n"); },
            "features.csv:3: node '0' was already given in line 2"},
        BadFile{"missing_row", "features.csv", &without_last_line,
                "there is no row for node '299'; 299 rows"},
        BadFile{
            "nan", "features.csv",
            [](std::string text) { return with_line(text, "1,1,2,nan,4,5\n"); },
            "features.csv:3: "},
        BadFile{"narrow", "features.csv",
                [](std::string text) { return with_line(text, "1,2,3\n"); },
                "features.csv:3: expected 5 feature values, got 2"},
        BadFile{"mask", "masks.csv",
                [](std::string text) { return with_line(text, "1,all,\n"); },
                "masks.csv:3: expected train, val, test"}),
    [](const auto& info) { return info.param.name; });

TEST(RefusedFiles, ThatAreCutOffAreRefused) {
  const TempDir dir;
  const fs::path folder = write_ogb(dir / "ogb", 0, /*packed=*/true);
  for (const char* name : {"edge.csv.gz", "node-feat.csv.gz"}) {
    const fs::path file = folder / "raw" / name;
    const std::string whole = core::read_file(file);
    write_text(file, whole.substr(0, whole.size() / 2));
    EXPECT_TRUE(contains(
        error_of([&] { stream(of_path(folder), dir / "g.parts", 3); }), name));
    write_text(file, whole);
    EXPECT_EQ(dir.names(), std::vector<std::string>{"ogb"});
  }
}

TEST(RefusedFiles, NeedMemoryForTheNodes) {
  const TempDir dir;
  const fs::path folder = write_ogb(dir / "ogb", 0, false);
  const LittleMemory little(int64_t{8} << 20);
  EXPECT_TRUE(
      contains(error_of([&] { stream(of_path(folder), dir / "g.parts", 3); }),
               "cutting a graph of 300 nodes piece by piece takes"));
}

}  // namespace
}  // namespace ordered_gnn::scale
