// Every kind of bad input ends with exit status 1 or 2, one message that names
// the place and the remedy, and nothing left behind.
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <unistd.h>

#include <functional>
#include <map>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "core/io/npy/npz.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

class BadInput : public testing::Test {
 protected:
  std::string path(const std::string& name) { return (dir_ / name).string(); }

  // A Geom-GCN folder of four nodes with one split beside it.
  void write_folder(
      const std::string& edges = "a\tb\n0\t1\n1\t2\n2\t3\n",
      const std::string& nodes =
          "n\tf\tl\n0\t1,0\t0\n1\t0,1\t1\n2\t1,1\t0\n3\t0,0\t1\n") {
    write_text(dir_ / "g/out1_graph_edges.txt", edges);
    write_text(dir_ / "g/out1_node_feature_label.txt", nodes);
  }

  // The second of its nodes on this line, which is named with its number.
  void expect_second_node_is_named(const std::string& line) {
    write_folder("a\tb\n0\t1\n",
                 "n\tf\tl\n0\t1,0\t0\n" + line + "\n2\t1,1\t0\n3\t0,0\t1\n");
    EXPECT_TRUE(contains(refused(path("g")), "out1_node_feature_label.txt:3"));
  }

  // An archive of six nodes, with more arrays where there are some.
  void write_archive(const at::Tensor& labels, const at::Tensor& features,
                     const std::map<std::string, at::Tensor>& more = {}) {
    core::NpzWriter out(path("g.npz"));
    out.add("edges", torch::zeros({2, 2}, at::kLong));
    out.add("node_labels", labels);
    out.add("node_features", features);
    for (const auto& [name, values] : more) out.add(name, values);
    out.finish();
  }

  void write_split(std::vector<int64_t> train, std::vector<int64_t> val,
                   std::vector<int64_t> test) {
    core::NpzWriter out(dir_ / "g/g_split_0.6_0.2_0.npz");
    const auto add = [&](const char* name, const std::vector<int64_t>& mask) {
      out.add(name, torch::tensor(mask, at::kLong).to(at::kByte));
    };
    add("train_mask", train);
    add("val_mask", val);
    add("test_mask", test);
    out.finish();
  }

  // Trains on `data`, expects failure, and gives the message.
  std::string refused(const std::string& data,
                      std::vector<std::string> more = {}) {
    std::vector<std::string> call = {"train", "--data",   data,    "--layers",
                                     "1",     "--hidden", "8",     "--epochs",
                                     "1",     "--quiet",  "--out", path("run")};
    call.insert(call.end(), more.begin(), more.end());
    const Outcome outcome = run_ognn(call);
    EXPECT_TRUE(outcome.status == 1 || outcome.status == 2)
        << outcome.status << outcome.out << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_TRUE(contains(outcome.err, "ognn: ")) << outcome.err;
    EXPECT_FALSE(fs::exists(path("run"))) << "output left behind";
    return outcome.err;
  }

  TempDir dir_;
};

TEST_F(BadInput, TheSmallFolderItselfIsGood) {
  write_folder();
  write_split({1, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1});
  const Outcome outcome = run_ognn({"train", "--data", path("g"), "--layers",
                                    "1", "--hidden", "8", "--epochs", "1"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

TEST_F(BadInput, AMissingFolderIsNamed) {
  EXPECT_TRUE(contains(refused(path("nowhere")), "nowhere"));
}

TEST_F(BadInput, AMissingFileIsNamed) {
  write_folder();
  fs::remove(dir_ / "g/out1_node_feature_label.txt");
  EXPECT_TRUE(contains(refused(path("g"), {"--format", "geom-gcn"}),
                       "out1_node_feature_label.txt"));
}

TEST_F(BadInput, AnUnreadableFileIsNamed) {
  write_folder();
  fs::permissions(dir_ / "g/out1_graph_edges.txt", fs::perms::none);
  const Outcome outcome =
      run_ognn_obeying_permissions({"data", "info", "--data", path("g")});
  if (outcome.status == kCannotObey) {
    GTEST_SKIP() << "root may not give up reading every file here";
  }
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "out1_graph_edges.txt")) << outcome.err;
}

TEST_F(BadInput, AFolderInPlaceOfAFileIsNamed) {
  write_folder();
  fs::remove(dir_ / "g/out1_graph_edges.txt");
  fs::create_directories(dir_ / "g/out1_graph_edges.txt");
  EXPECT_TRUE(contains(refused(path("g"), {"--format", "geom-gcn"}),
                       "out1_graph_edges.txt"));
}

TEST_F(BadInput, ATruncatedArchiveIsNamed) {
  ASSERT_EQ(
      run_ognn({"data", "generate", "csbm?nodes=50", "--out", path("g.npz")})
          .status,
      0);
  const std::string bytes = core::read_file(path("g.npz"));
  for (const size_t keep : {size_t{10}, bytes.size() / 2, bytes.size() - 3}) {
    write_text(path("g.npz"), bytes.substr(0, keep));
    EXPECT_TRUE(contains(refused(path("g.npz")), "g.npz"));
  }
}

TEST_F(BadInput, ATruncatedGzipIsNamed) {
  write_folder();
  const fs::path text = dir_ / "g/out1_graph_edges.txt";
  ASSERT_EQ(std::system(("gzip " + text.string()).c_str()), 0);
  const std::string bytes = core::read_file(text.string() + ".gz");
  write_text(text.string() + ".gz", bytes.substr(0, bytes.size() - 6));
  EXPECT_TRUE(contains(refused(path("g")), "out1_graph_edges.txt.gz"));
}

TEST_F(BadInput, ATruncatedCheckpointIsNamed) {
  ASSERT_EQ(run_ognn(tiny_train({"--out", path("ok")})).status, 0);
  const std::string file = path("ok/split-0/model.safetensors");
  const std::string bytes = core::read_file(file);
  write_text(file, bytes.substr(0, bytes.size() - 4));
  const Outcome outcome =
      run_ognn({"predict", "--checkpoint", file, "--out", path("p.csv")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "model.safetensors"));
  EXPECT_FALSE(fs::exists(path("p.csv")));
}

TEST_F(BadInput, AZipEntryThatLiesAboutItsSizeIsRefused) {
  {
    core::NpzWriter out(path("g.npz"), core::NpzWriter::Compression::deflated);
    out.add("edges", torch::zeros({400, 2}, at::kLong));
    out.add("node_labels", torch::zeros({10}, at::kLong));
    out.finish();
  }
  std::string bytes = core::read_file(path("g.npz"));
  // The uncompressed size is at offset 24 of every central directory record.
  const size_t record = bytes.find("PK\x01\x02");
  ASSERT_NE(record, std::string::npos);
  bytes[record + 24] = static_cast<char>(bytes[record + 24] + 8);
  write_text(path("g.npz"), bytes);
  EXPECT_TRUE(contains(refused(path("g.npz")), "g.npz"));
}

TEST_F(BadInput, AnEdgeToANodeThatDoesNotExistIsNamedByLine) {
  write_folder("a\tb\n0\t1\n1\t9\n");
  EXPECT_TRUE(contains(refused(path("g")), "out1_graph_edges.txt:3"));
}

TEST_F(BadInput, NegativeAndNonIntegerIdsAreNamedByLine) {
  write_folder("a\tb\n-1\t1\n");
  EXPECT_TRUE(contains(refused(path("g")), "out1_graph_edges.txt:2"));
  write_folder("a\tb\n0\t1\n0.5\t1\n");
  EXPECT_TRUE(contains(refused(path("g")), "out1_graph_edges.txt:3"));
}

TEST_F(BadInput, AFeatureRowOfTheWrongWidthIsNamedByLine) {
  expect_second_node_is_named("1\t0,1,1\t1");
}

TEST_F(BadInput, NanFeaturesAreNamed) {
  at::Tensor features = torch::rand({6, 3});
  features[2][1] = std::nan("");
  write_archive(torch::tensor({0, 1, 0, 1, 0, 1}, at::kLong), features);
  const std::string message =
      refused(path("g.npz"), {"--split-set", "random:50/25/25"});
  EXPECT_TRUE(contains(message, "feature 1 of node 2")) << message;
}

TEST_F(BadInput, LabelsOutOfRangeAreNamed) {
  expect_second_node_is_named("1\t0,1\t-7");
}

TEST_F(BadInput, LabelsThatAreAllMissingAreSaid) {
  const auto only = [](int64_t node) {
    return torch::arange(6).eq(node).view({1, 6});
  };
  write_archive(torch::full({6}, -1, at::kLong), torch::rand({6, 3}),
                {{"train_masks", only(0)},
                 {"val_masks", only(1)},
                 {"test_masks", only(2)}});
  EXPECT_TRUE(contains(refused(path("g.npz")), "label"));
}

TEST_F(BadInput, SplitsWithEmptyOverlappingOrWrongPartsAreNamed) {
  write_folder();
  write_split({1, 1, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 1});
  EXPECT_TRUE(contains(refused(path("g")), "g_split_0.6_0.2_0.npz"));
  write_split({1, 1, 0, 0}, {0, 1, 1, 0}, {0, 0, 0, 1});
  EXPECT_TRUE(contains(refused(path("g")), "g_split_0.6_0.2_0.npz"));
  write_split({1, 1, 0}, {0, 0, 1}, {0, 0, 0});
  EXPECT_TRUE(contains(refused(path("g")), "g_split_0.6_0.2_0.npz"));
}

TEST_F(BadInput, UnknownNamesSuggestTheNearest) {
  EXPECT_TRUE(contains(refused("txas"), "did you mean 'texas'"));
  EXPECT_TRUE(contains(refused("synthetic:csbm", {"--model", "orderd_gnn"}),
                       "did you mean 'ordered_gnn'"));
  EXPECT_TRUE(contains(refused("synthetic:csbm", {"--layrs", "3"}),
                       "did you mean '--layers'"));
  write_text(dir_ / "r.json", R"({"hiden": 3})");
  EXPECT_TRUE(contains(refused("synthetic:csbm", {"--config", path("r.json")}),
                       "did you mean 'hidden'"));
  EXPECT_TRUE(contains(run_ognn({"trian"}).err, "did you mean 'train'"));
  EXPECT_EQ(run_ognn({"trian"}).status, 2);
}

TEST_F(BadInput, OptionsThatDoNotFitEachOtherAreRefused) {
  EXPECT_TRUE(
      contains(refused("synthetic:csbm", {"--chunk", "3"}), "not divisible"));
  EXPECT_TRUE(
      contains(refused("synthetic:csbm", {"--layers", "0"}), "'layers'"));
  EXPECT_TRUE(contains(refused("synthetic:csbm", {"--splits", "99"}), "99"));
}

TEST_F(BadInput, CudaIsRefusedWhereThereIsNone) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a CUDA device";
  EXPECT_TRUE(
      contains(refused("synthetic:csbm", {"--device", "cuda"}), "CUDA"));
}

TEST_F(BadInput, AFolderThatIsNotOursIsLeftAlone) {
  write_text(dir_ / "mine/notes.txt", "precious");
  const Outcome outcome = run_ognn(tiny_train({"--out", path("mine")}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "not written by this program"));
  EXPECT_EQ(std::distance(fs::directory_iterator(dir_ / "mine"),
                          fs::directory_iterator()),
            1);
}

TEST_F(BadInput, AFullDiskKeepsTheLastGoodFiles) {
  const fs::path disk = dir_ / "disk";
  fs::create_directories(disk);
  if (::mount("none", disk.c_str(), "tmpfs", 0, "size=96k") != 0) {
    GTEST_SKIP() << "a small file system cannot be mounted without root";
  }
  const Outcome outcome =
      run_ognn(tiny_train({"--out", (disk / "run").string(), "--hidden", "256",
                           "--save-seconds", "0"}));
  EXPECT_EQ(outcome.status, 1) << outcome.out;
  EXPECT_TRUE(contains(outcome.err, "full")) << outcome.err;
  for (const auto& entry : fs::recursive_directory_iterator(disk)) {
    EXPECT_NE(entry.path().extension(), ".safetensors") << entry.path();
    EXPECT_FALSE(contains(entry.path().filename().string(), "tmp"))
        << entry.path();
  }
  ::umount(disk.c_str());
}

}  // namespace
}  // namespace ordered_gnn
