// Parts of files that are read piece by piece, against those of the same files
// in memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <string>
#include <vector>

#include "core/io/file.h"
#include "data/load_dataset.h"
#include "scale/parts/reader.h"
#include "scale/parts/streamed_support.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

// The manifest has the checksums of all files.
void expect_same_parts(const DataOptions& options, const std::string& what) {
  const TempDir dir;
  for (const int64_t parts : {1, 4}) {
    DataOptions loaded = options;
    const NodeDataset data = load_training_dataset(loaded);
    write_test_parts(data, parts, dir / "memory.parts");
    stream(options, dir / "streamed.parts", parts);
    EXPECT_EQ(core::read_file(dir / "streamed.parts" / "parts.json"),
              core::read_file(dir / "memory.parts" / "parts.json"))
        << what << ", " << parts << " parts";
    verify_parts(dir / "streamed.parts", read_manifest(dir / "streamed.parts"));
  }
  EXPECT_FALSE(fs::exists(dir / "streamed.parts.lists"));
}

TEST(StreamedFiles, OfAnOgbFolderAreThoseInMemory) {
  const TempDir dir;
  const fs::path folder = write_ogb(dir / "ogb", 0, /*packed=*/true);
  expect_same_parts(of_path(folder), "row_normalized");
  expect_same_parts(of_path(write_ogb(dir / "mixed", -0.5, false)), "raw");
  for (const Direction direction :
       {Direction::as_stored, Direction::reversed, Direction::undirected}) {
    for (const SelfLoops loops :
         {SelfLoops::keep, SelfLoops::add, SelfLoops::remove}) {
      DataOptions options = of_path(folder);
      options.treatment.direction = direction;
      options.treatment.self_loops = loops;
      options.treatment.features = Treatment::Features::raw;
      expect_same_parts(options,
                        to_string(direction) + ", " + to_string(loops));
    }
  }
}

TEST(StreamedFiles, HaveTheSplitsThatWereChosen) {
  const TempDir dir;
  DataOptions options = of_path(write_ogb(dir / "ogb", 0, false));
  for (const char* splits : {"none", "time", "random:50/25/25x3"}) {
    options.split_set = splits;
    expect_same_parts(options, splits);
  }
  fs::remove_all(dir / "ogb" / "split");
  options.split_set = "auto";
  expect_same_parts(options, "drawn");
  options.split_set = "thyme";
  EXPECT_TRUE(contains(error_of([&] { stream(options, dir / "g.parts", 2); }),
                       "split set"));
}

TEST(StreamedFiles, OfACsvFolderAreThoseInMemory) {
  const TempDir dir;
  CsvForm plain, names, permuted, unlabelled, packed, table;
  table.json = "{}";
  table.step = 7;
  names.prefix = "customer ";
  names.step = 7;
  permuted.step = 7;
  unlabelled.labels = false;
  unlabelled.json = R"({"features": "dense", "class_names": ["x", "y"],
                        "directed": false, "name": "undirected"})";
  packed.packed = true;
  packed.json = R"({"features": "dense", "treatment": {"direction": "reversed",
                    "self_loops": "keep", "features": "raw"}})";
  int64_t number = 0;
  for (const CsvForm& form :
       {plain, names, permuted, unlabelled, packed, table}) {
    const fs::path folder = dir / ("csv" + std::to_string(number++));
    expect_same_parts(of_path(write_csv(folder, form)), folder.string());
  }
}

TEST(StreamedFiles, LeaveWeightsOutOrRefuseThem) {
  const TempDir dir;
  CsvForm form;
  form.weights = true;
  DataOptions options = of_path(write_csv(dir / "csv", form));
  EXPECT_TRUE(contains(
      error_of([&] { stream(options, dir / "g.parts", 2); }),
      "has weights of edges, which parts do not hold; --edge-weights ignore"));
  options.treatment.edge_weights = Treatment::EdgeWeights::ignore;
  expect_same_parts(options, "ignored weights");
}

TEST(StreamedFiles, SayWhyTheyAreReadWhole) {
  const TempDir dir;
  CsvForm form;
  const auto why = [](DataOptions options) {
    std::string why_not;
    EXPECT_EQ(data::open_training_dataset(options, why_not), nullptr);
    return why_not;
  };
  write_csv(dir / "csv", form);
  fs::remove(dir / "csv" / "features.csv");
  write_text(dir / "csv" / "dataset.json", "{}");
  EXPECT_TRUE(contains(why(of_path(dir / "csv")), "read as a whole"));
  EXPECT_TRUE(contains(why(of_path("synthetic:csbm")), "generated"));
  form.prefix = "n";
  DataOptions options = of_path(write_csv(dir / "named", form));
  options.split_file = (dir / "named" / "masks.csv").string();
  EXPECT_TRUE(contains(why(options), "--split-file"));
}

std::string reason_against(DataOptions options, int64_t parts) {
  std::string reason;
  const auto source = data::open_training_dataset(options, reason);
  if (!source) return reason;
  return why_not_streamed(*source, cut_into("g.parts", options, parts));
}

// dataset.json may recommend what parts that are streamed cannot hold.
TEST(StreamedFiles, AreNotOfNodeIdsThatTheFilesRecommend) {
  const TempDir dir;
  CsvForm form;
  form.json = R"({"features": "dense", "treatment": {"direction": "undirected",
                  "self_loops": "add", "features": "identity"}})";
  DataOptions options = of_path(write_csv(dir / "csv", form));
  EXPECT_TRUE(contains(reason_against(options, 2), "identity"));
  EXPECT_TRUE(contains(error_of([&] { stream(options, dir / "g.parts", 2); }),
                       "identity"));
  options.treatment.features = Treatment::Features::raw;
  EXPECT_EQ(reason_against(options, 2), "");
  expect_same_parts(options, "raw instead of identity");
}

// Lets the process open fewer files for a while.
class FewFiles {
 public:
  explicit FewFiles(rlim_t files) {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    rlimit now = before_;
    now.rlim_cur = files;
    ::setrlimit(RLIMIT_NOFILE, &now);
  }
  ~FewFiles() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewFiles(const FewFiles&) = delete;
  FewFiles& operator=(const FewFiles&) = delete;

 private:
  rlimit before_{};
};

TEST(StreamedFiles, AreNoMoreThanMayBeOpen) {
  const TempDir dir;
  const DataOptions options = of_path(write_ogb(dir / "ogb", 0, false));
  const FewFiles few(200);
  EXPECT_EQ(reason_against(options, 100), "");
  stream(options, dir / "g.parts", 100);
  EXPECT_TRUE(contains(reason_against(options, 190), "ulimit -n"));
}

TEST(StreamedFiles, AreBesideTheirListsWhateverTheFolderIsCalled) {
  const TempDir dir;
  const DataOptions options = of_path(write_ogb(dir / "ogb", 0, false));
  stream(options, dir / "g.parts", 3);
  const std::string first = core::read_file(dir / "g.parts" / "parts.json");
  stream(options, (dir / "g.parts").string() + "/", 3);
  EXPECT_EQ(core::read_file(dir / "g.parts" / "parts.json"), first);
  EXPECT_FALSE(fs::exists(dir / "g.parts" / ".lists"));
}

TEST(StreamedFiles, DeleteNoListsThatAreNotTheirOwn) {
  const TempDir dir;
  const DataOptions options = of_path(write_ogb(dir / "ogb", 0, false));
  const fs::path lists = dir / "g.parts.lists";
  write_text(lists / "in-0000.bin", "of a killed run");
  stream(options, dir / "g.parts", 2);
  EXPECT_FALSE(fs::exists(lists));
  write_text(lists / "thesis.tex", "precious");
  EXPECT_TRUE(contains(error_of([&] { stream(options, dir / "g.parts", 2); }),
                       "g.parts.lists: is there and holds what is not ours"));
  EXPECT_EQ(core::read_file(lists / "thesis.tex"), "precious");
}

TEST(StreamedFiles, ThatAreThereStayWhereRanksAreTooMany) {
  const TempDir dir;
  DataOptions options = of_path(write_ogb(dir / "ogb", 0, false));
  stream(options, dir / "g.parts", 2);
  std::string reason;
  const auto source = data::open_training_dataset(options, reason);
  StreamedCut cut = cut_into(dir / "g.parts", options, 2);
  cut.ranks = 3;
  EXPECT_TRUE(contains(error_of([&] { write_streamed(*source, cut); }),
                       "--ranks 3: there are 2 parts"));
  verify_parts(dir / "g.parts", read_manifest(dir / "g.parts"));
}

}  // namespace
}  // namespace ordered_gnn::scale
