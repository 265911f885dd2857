// Parts of files that are read piece by piece, against those of the same files
// in memory.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "core/io/file.h"
#include "data/load_dataset.h"
#include "ordered_gnn/core/random.h"
#include "scale/parts/reader.h"
#include "scale/parts/streamed.h"
#include "scale/parts_support.h"
#include "support/errors.h"
#include "support/little_memory.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kNodes = 300;

void gzip(const fs::path& file) {
  ASSERT_EQ(std::system(("gzip -nf '" + file.string() + "'").c_str()), 0);
}

// Lines of edges with loops and repeats among them.
std::string edge_lines(RandomStream& random, int64_t count) {
  std::string text;
  for (int64_t e = 0; e < count; ++e) {
    const uint64_t from = random.below(kNodes);
    const uint64_t to = e % 9 == 0 ? from : random.below(kNodes);
    const std::string line =
        std::to_string(from) + "," + std::to_string(to) + "\n";
    text += line;
    if (e % 7 == 0) text += line;
  }
  return text;
}

std::string row_text(RandomStream& random, double shift) {
  std::string text;
  for (int f = 0; f < 5; ++f) {
    text += (f > 0 ? "," : "") + std::to_string(random.uniform() + shift);
  }
  return text;
}

// @param shift  added to features in [0, 1).
fs::path write_ogb(const fs::path& folder, double shift, bool packed) {
  RandomStream random(11);
  const std::string edges = edge_lines(random, 2000);
  std::string features, labels, train, valid, test;
  for (int64_t v = 0; v < kNodes; ++v) {
    features += row_text(random, shift) + "\n";
    labels += v % 10 == 3 ? "nan\n" : std::to_string(v % 4) + ".0\n";
    (v % 5 == 0   ? valid
     : v % 5 == 1 ? test
                  : train) += std::to_string(v) + "\n";
  }
  const auto count = std::count(edges.begin(), edges.end(), '\n');
  write_text(folder / "raw/num-node-list.csv", std::to_string(kNodes) + "\n");
  write_text(folder / "raw/num-edge-list.csv", std::to_string(count) + "\n");
  write_text(folder / "raw/edge.csv", edges);
  write_text(folder / "raw/node-feat.csv", features);
  write_text(folder / "raw/node-label.csv", labels);
  write_text(folder / "split/time/train.csv", train);
  write_text(folder / "split/time/valid.csv", valid);
  write_text(folder / "split/time/test.csv", test);
  if (packed) {
    for (const char* file : {"edge", "node-feat", "node-label"}) {
      gzip(folder / "raw" / (std::string(file) + ".csv"));
    }
  }
  return folder;
}

struct CsvForm {
  const char* json = R"({"features": "dense"})";
  std::string prefix;  // of ids
  bool labels = true, masks = true, weights = false, packed = false;
  int64_t step = 1;  // between the nodes of consecutive rows of features
};

fs::path write_csv(const fs::path& folder, const CsvForm& form) {
  RandomStream random(5);
  const auto id = [&](int64_t v) { return form.prefix + std::to_string(v); };
  std::string edges =
      form.weights ? "source,target,weight\n" : "source,target\n";
  for (int64_t e = 0; e < 1500; ++e) {
    const auto from = static_cast<int64_t>(random.below(kNodes));
    const auto to =
        e % 8 == 0 ? from : static_cast<int64_t>(random.below(kNodes));
    const std::string line =
        id(from) + "," + id(to) + (form.weights ? ",0.5" : "") + "\n";
    edges += line;
    if (e % 5 == 0) edges += line;
  }
  std::string features = "node,a,b,c,d,e\n", labels = "node,label\n";
  std::string masks = "node,split_0,split_1\n";
  for (int64_t i = 0; i < kNodes; ++i) {
    features += id(i * form.step % kNodes) + "," + row_text(random, 0) + "\n";
    labels += id(i) + "," + (i % 6 == 0 ? "" : std::to_string(i % 3)) + "\n";
    masks += id(i) + (i % 2 == 0 ? ",train," : ",val,test") + "\n";
  }
  write_text(folder / "dataset.json", form.json);
  write_text(folder / "edges.csv", edges);
  write_text(folder / "features.csv", features);
  if (form.labels) write_text(folder / "labels.csv", labels);
  if (form.masks) write_text(folder / "masks.csv", masks);
  if (form.packed) {
    gzip(folder / "edges.csv");
    gzip(folder / "features.csv");
  }
  return folder;
}

StreamedCut cut_into(const fs::path& folder, const DataOptions& options,
                     int64_t parts) {
  StreamedCut cut;
  cut.parts = parts;
  cut.ranks = parts;
  cut.treatment = options.treatment;
  cut.folder = folder;
  cut.replace = true;
  cut.buffer = int64_t{700} * 32;  // several buckets and walks
  return cut;
}

void stream(DataOptions options, const fs::path& out, int64_t parts) {
  std::string why_not;
  const auto source = data::open_training_dataset(options, why_not);
  ASSERT_NE(source, nullptr) << why_not;
  write_streamed(*source, cut_into(out, options, parts));
}

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

DataOptions of_path(const fs::path& path) {
  DataOptions options;
  options.data = path.string();
  return options;
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

TEST(StreamedFiles, ThatAreCutOffAreRefused) {
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

TEST(StreamedFiles, NeedMemoryForTheNodes) {
  const TempDir dir;
  const fs::path folder = write_ogb(dir / "ogb", 0, false);
  const LittleMemory little(int64_t{8} << 20);
  EXPECT_TRUE(
      contains(error_of([&] { stream(of_path(folder), dir / "g.parts", 3); }),
               "cutting a graph of 300 nodes piece by piece takes"));
}

}  // namespace
}  // namespace ordered_gnn::scale
