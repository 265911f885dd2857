// What Geom-GCN prepares of a graph is kept where the user asks for it and
// nowhere else.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

class LayoutCache : public testing::Test {
 protected:
  LayoutCache() {
    fs::create_directory(dir_ / "data");
    const Outcome made =
        run_ognn({"data", "generate", "synthetic:csbm?nodes=60&features=8",
                  "--out", path("data/graph.npz")});
    EXPECT_EQ(made.status, 0) << made.err;
  }

  std::string path(const std::string& name) { return (dir_ / name).string(); }

  // What the run says on standard error.
  std::string train(const std::string& folder,
                    const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "train",       "--data",          path("data/graph.npz"),
        "--split-set", "random:50/25/25", "--model",
        "geom_gcn",    "--epochs",        "3",
        "--out",       path(folder)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_ognn(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return outcome.err;
  }

  std::string predicted(const std::string& folder,
                        const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {
        "predict", "--checkpoint", path(folder + "/split-0/model.safetensors"),
        "--out",   path("p.csv"),  "--force",
        "--quiet"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome outcome = run_ognn(arguments);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return core::read_file(path("p.csv"));
  }

  int64_t files_in(const std::string& folder) {
    return std::distance(fs::directory_iterator(path(folder)), {});
  }

  const TempDir dir_;
};

TEST_F(LayoutCache, NothingIsWrittenBesideTheData) {
  EXPECT_FALSE(contains(train("run", {"--splits", "0"}), "latent space"));
  predicted("run", {});
  EXPECT_EQ(files_in("data"), 1);
}

TEST_F(LayoutCache, IsWrittenOnceAndReadFromThenOn) {
  train("plain", {});
  const std::string first = train("first", {"--layout-cache", path("cache")});
  EXPECT_TRUE(contains(first, "latent space written to " + path("cache")))
      << first;
  EXPECT_EQ(files_in("cache"), 1);
  const std::string second = train("second", {"--layout-cache", path("cache")});
  EXPECT_TRUE(contains(second, "latent space read from " + path("cache")))
      << second;
  EXPECT_EQ(files_in("cache"), 1);
  EXPECT_EQ(files_in("data"), 1);
  const std::string expected = predicted("plain", {});
  EXPECT_EQ(predicted("first", {}), expected);
  EXPECT_EQ(predicted("second", {"--layout-cache", path("cache")}), expected);
  EXPECT_EQ(predicted("second", {"--layout-cache", path("other")}), expected);
  EXPECT_EQ(files_in("other"), 1);
}

TEST_F(LayoutCache, IsNoPartOfARun) {
  train("run", {"--layout-cache", path("cache")});
  fs::remove_all(path("cache"));
  train("run", {"--resume"});
  predicted("run", {});
  EXPECT_FALSE(fs::exists(path("cache"))) << "a checkpoint asks for no folder";
}

TEST_F(LayoutCache, AFolderThatCannotBeMadeIsAnError) {
  const Outcome outcome =
      run_ognn(tiny_train({"--model", "geom_gcn", "--layout-cache",
                           path("data/graph.npz") + "/cache"}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "cannot be made")) << outcome.err;
}

TEST_F(LayoutCache, OfAModelThatPreparesNothingIsTold) {
  const Outcome outcome =
      run_ognn(tiny_train({"--model", "gcn", "--layout-cache", path("cache")}));
  EXPECT_EQ(outcome.status, 0);
  EXPECT_TRUE(contains(outcome.err, "gcn does not read --layout-cache"))
      << outcome.err;
  EXPECT_FALSE(fs::exists(path("cache")));
}

}  // namespace
}  // namespace ordered_gnn
