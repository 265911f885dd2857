#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class ImportCommand : public testing::Test {
 protected:
  ImportCommand() {
    std::string nodes = "id;age;plan;note;class\n";
    std::string edges = "from,to\n";
    for (int v = 0; v < 40; ++v) {
      nodes += fmt::format("n{};{};{};text {};{}\n", v, 20 + v,
                           v % 3 == 0 ? "a, b" : "c", v, v % 2 == 0 ? -1 : 1);
      edges += fmt::format("n{},n{}\n", v, (v + 2) % 40);
    }
    core::write_file(dir_ / "nodes.csv", nodes);
    core::write_file(dir_ / "edges.csv", edges);
  }
  std::string path(const std::string& name) const {
    return (dir_ / name).string();
  }
  Outcome import_with(std::vector<std::string> more) const {
    std::vector<std::string> call = {
        "data",    "import",     "--nodes", path("nodes.csv"),
        "--label", "class",      "--edges", path("edges.csv"),
        "--out",   path("g.npz")};
    call.insert(call.end(), more.begin(), more.end());
    return run_ognn(call);
  }

  TempDir dir_;
};

TEST_F(ImportCommand, ShowsColumnsAndNotesBeforeItWrites) {
  const Outcome outcome = import_with({});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "age     number"));
  EXPECT_TRUE(contains(outcome.out, "one of 2: a, b, c"));
  EXPECT_TRUE(contains(outcome.out, "note    text"));
  EXPECT_TRUE(contains(outcome.out, "nodes are named by the first column"));
  EXPECT_TRUE(contains(outcome.out, "edges go from 'from' to 'to'"));
  EXPECT_TRUE(contains(outcome.out, "--unlabelled -1"));
  EXPECT_TRUE(contains(outcome.out, "read as undirected"));
  EXPECT_EQ(import_with({"--quiet"}).out, "");
}

TEST_F(ImportCommand, JsonHasTheColumns) {
  const Outcome outcome = import_with({"--json", "--directed"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("num_nodes"), 40);
  EXPECT_EQ(json.at("class_names"), (Json{"-1", "1"}));
  ASSERT_EQ(json.at("columns").size(), 3u);
  EXPECT_EQ(json.at("columns")[0].at("kind"), "number");
  const Json info =
      Json::parse(run_ognn({"data", "info", path("g.npz"), "--json"}).out);
  EXPECT_EQ(info.at("columns"), json.at("columns"));
  EXPECT_EQ(info.at("fingerprint"), json.at("fingerprint"));
}

TEST_F(ImportCommand, ColumnsCanBeChosenAndLeftOut) {
  const Outcome outcome = import_with({"--column", "age=category", "--drop",
                                       "note", "--unlabelled", "-1", "--json"});
  // One class is left, which is nothing to tell apart.
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "all labelled nodes have the label '1'"));
  const Outcome chosen =
      import_with({"--column", "age=category", "--drop", "note", "--json"});
  ASSERT_EQ(chosen.status, 0) << chosen.err;
  const Json columns = Json::parse(chosen.out).at("columns");
  ASSERT_EQ(columns.size(), 2u);
  EXPECT_EQ(columns[0].at("kind"), "category");
}

TEST_F(ImportCommand, MistakesAreExplained) {
  const auto refused = [&](std::vector<std::string> more) {
    const Outcome outcome = import_with(std::move(more));
    EXPECT_NE(outcome.status, 0);
    return outcome.err;
  };
  EXPECT_TRUE(contains(refused({"--column", "age"}), "NAME=KIND"));
  EXPECT_TRUE(contains(refused({"--column", "age=nmber"}), "'number'"));
  EXPECT_TRUE(contains(refused({"--drop", "nots"}), "'note'"));
  EXPECT_TRUE(contains(refused({"--id", "idd"}), "did you mean 'id'"));
  EXPECT_TRUE(contains(refused({"--edge-type", "kind"}), "not supported"));
  EXPECT_TRUE(contains(refused({"--directed", "--undirected"}), "cannot both"));
  EXPECT_TRUE(contains(refused({"--weight", "w"}), "unknown column 'w'"));
}

TEST_F(ImportCommand, ATorchFileIsRefusedWithTheWayToExportIt) {
  const Outcome outcome = run_ognn(
      {"data", "import", "--nodes", path("data.pt"), "--out", path("g.npz")});
  EXPECT_EQ(outcome.status, 2);
  EXPECT_TRUE(contains(outcome.err, "runs code when it is opened"));
  EXPECT_TRUE(contains(outcome.err, "to_csv('nodes.csv'"));
}

// A model finds its columns by name, in whatever order a later table has them.
TEST_F(ImportCommand, PredictsATableWithSwappedColumns) {
  ASSERT_EQ(import_with({}).status, 0);
  ASSERT_EQ(
      run_ognn({"train", "--data", path("g.npz"), "--layers", "1", "--hidden",
                "16", "--epochs", "3", "--out", path("run"), "--quiet"})
          .status,
      0);
  const std::string model = path("run/split-0/model.safetensors");
  const auto predicted = [&](const std::string& data) {
    const Outcome outcome =
        run_ognn({"predict", "--checkpoint", model, "--data", data, "--out",
                  path("p.csv"), "--quiet"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return core::read_file(dir_ / "p.csv");
  };
  const std::string first = predicted(path("g.npz"));
  std::string swapped = "plan;id;note;age;class\n";
  for (int v = 0; v < 40; ++v) {
    swapped += fmt::format("{};n{};text {};{};{}\n", v % 3 == 0 ? "a, b" : "c",
                           v, v, 20 + v, v % 2 == 0 ? -1 : 1);
  }
  core::write_file(dir_ / "nodes.csv", swapped);
  ASSERT_EQ(import_with({"--id", "id"}).status, 0);
  EXPECT_EQ(predicted(path("g.npz")), first);
  std::string without = "id;age;class\n";
  for (int v = 0; v < 40; ++v) {
    without += fmt::format("n{};{};{}\n", v, 20 + v, v % 2 == 0 ? -1 : 1);
  }
  core::write_file(dir_ / "nodes.csv", without);
  ASSERT_EQ(import_with({}).status, 0);
  const Outcome missing = run_ognn({"predict", "--checkpoint", model, "--data",
                                    path("g.npz"), "--out", path("p.csv")});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "are missing: 'plan'"));
  EXPECT_EQ(
      run_ognn({"predict", "--checkpoint", model, "--data", path("g.npz"),
                "--missing-columns", "fill", "--out", path("p.csv"), "--quiet"})
          .status,
      0);
}

}  // namespace
}  // namespace ordered_gnn
