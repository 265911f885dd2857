#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

constexpr int kCustomers = 200;

std::string customer(int v) { return "c" + std::to_string(v); }

std::string feature_cells(int v) {
  std::ostringstream text;
  text << "," << 0.25 * (v % 7) << "," << (v * 37 % 11) << "," << v % 3;
  return text.str();
}

// Whether lines of predictions say the same, probabilities to five digits.
bool say_the_same(const std::string& a, const std::string& b) {
  std::istringstream first(a), second(b);
  for (int column = 0;; ++column) {
    std::string one, other;
    const bool has_one = static_cast<bool>(std::getline(first, one, ','));
    if (has_one != static_cast<bool>(std::getline(second, other, ','))) {
      return false;
    }
    if (!has_one) return true;
    const bool same =
        column < 2 ? one == other
                   : one == other ||
                         std::fabs(std::strtod(one.c_str(), nullptr) -
                                   std::strtod(other.c_str(), nullptr)) < 1e-5;
    if (!same) return false;
  }
}

// A ring of customers as a CSV folder, with the last `left_out` of them and
// their edges in files of their own.
class AddNodes : public testing::Test {
 protected:
  void SetUp() override {
    write_folder("all", kCustomers);
    write_folder("old", kFirstNew);
    std::string nodes = "who,f0,f1,f2\n", edges = "source,target\n";
    for (int v = kFirstNew; v < kCustomers; ++v) {
      nodes += customer(v) + feature_cells(v) + "\n";
    }
    for (int v = 0; v < kCustomers; ++v) add_edges(v, edges, true);
    write_text(path("new.csv"), nodes);
    write_text(path("new_edges.csv"), edges);
    const Outcome trained = run_ognn(
        {"train", "--data", path("old"), "--layers", "2", "--hidden", "16",
         "--epochs", "3", "--direction", "undirected", "--split-set",
         "random:60/20/20", "--quiet", "--out", path("run")});
    ASSERT_EQ(trained.status, 0) << trained.err;
  }

  std::string path(const std::string& name) { return (dir_ / name).string(); }

  // Edges of customer v to the three behind it, those that have a new end or
  // those that have none.
  static void add_edges(int v, std::string& text, bool to_new) {
    for (const int step : {1, 3, 4}) {
      const int other = (v + step) % kCustomers;
      if ((v >= kFirstNew || other >= kFirstNew) != to_new) continue;
      text += customer(v) + "," + customer(other) + "\n";
    }
  }

  void write_folder(const std::string& name, int count) {
    std::string labels = "node,label\n", features = "node,f0,f1,f2\n";
    std::string edges = "source,target\n";
    for (int v = 0; v < count; ++v) {
      labels += customer(v) + (v % 2 == 0 ? ",stays\n" : ",leaves\n");
      features += customer(v) + feature_cells(v) + "\n";
    }
    for (int v = 0; v < count; ++v) add_edges(v, edges, false);
    if (count == kCustomers) {
      for (int v = 0; v < count; ++v) add_edges(v, edges, true);
    }
    std::filesystem::create_directories(dir_ / name);
    write_text(path(name + "/labels.csv"), labels);
    write_text(path(name + "/features.csv"), features);
    write_text(path(name + "/edges.csv"), edges);
  }

  Outcome predict(const std::string& data, std::vector<std::string> more) {
    std::vector<std::string> call = {
        "predict",   "--checkpoint", path("run/split-0/model.safetensors"),
        "--data",    path(data),     "--direction",
        "undirected"};
    call.insert(call.end(), more.begin(), more.end());
    return run_ognn(call);
  }

  std::vector<std::string> lines(const std::string& name) {
    std::ifstream in(path(name));
    std::vector<std::string> out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  static constexpr int kFirstNew = 196;
  TempDir dir_;
};

TEST_F(AddNodes, GivesTheLinesOfTheWholeGraph) {
  const Outcome whole = predict("all", {"--out", path("all.csv")});
  ASSERT_EQ(whole.status, 0) << whole.err;
  const Outcome some =
      predict("old", {"--add-nodes", path("new.csv"), "--add-edges",
                      path("new_edges.csv"), "--out", path("new_out.csv")});
  ASSERT_EQ(some.status, 0) << some.err;
  const std::vector<std::string> all = lines("all.csv");
  std::vector<std::string> want = {all[0]};
  want.insert(want.end(), all.begin() + 1 + kFirstNew, all.end());
  const std::vector<std::string> got = lines("new_out.csv");
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(say_the_same(got[i], want[i])) << got[i] << " " << want[i];
  }
  EXPECT_TRUE(contains(some.err, "adds 4 nodes and"));
  EXPECT_TRUE(contains(some.err, "read undirected"));
  EXPECT_TRUE(contains(some.err, "of 200 nodes for 4 predictions"));

  const Outcome changed =
      predict("old", {"--add-nodes", path("new.csv"), "--add-edges",
                      path("new_edges.csv"), "--changed", "--out",
                      path("c.csv"), "--json", "--quiet"});
  ASSERT_EQ(changed.status, 0) << changed.err;
  EXPECT_EQ(changed.err, "");
  const std::vector<std::string> rows = lines("c.csv");
  EXPECT_EQ(Json::parse(changed.out).at("rows"), rows.size() - 1);
  EXPECT_GT(rows.size(), want.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const auto& line) {
      return say_the_same(rows[i], line);
    })) << rows[i];
    if (i < want.size()) {
      EXPECT_TRUE(say_the_same(rows[i], want[i]));
    }
  }
}

TEST_F(AddNodes, EdgesAloneGiveTheNodesTheyMayChange) {
  write_text(path("e.csv"), "source,target\nc10,c90\n");
  const Outcome outcome =
      predict("old", {"--add-edges", path("e.csv"), "--out", path("p.csv")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::vector<std::string> rows = lines("p.csv");
  EXPECT_LT(rows.size(), 60u);
  const auto has = [&](const std::string& name) {
    return std::any_of(rows.begin(), rows.end(), [&](const std::string& row) {
      return row.rfind(name + ",", 0) == 0;
    });
  };
  EXPECT_TRUE(has("c10"));
  EXPECT_TRUE(has("c91"));
  EXPECT_FALSE(has("c50"));
}

TEST_F(AddNodes, RefusesWhatCannotBeRightAndLeavesNothing) {
  write_text(path("bad.csv"), "who,f0,f1,f2\nc5,1,2,3\n");
  const auto message = [&](std::vector<std::string> more, int status) {
    more.insert(more.end(), {"--out", path("p.csv")});
    const Outcome outcome = predict("old", more);
    EXPECT_EQ(outcome.status, status) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(path("p.csv")));
    return outcome.err;
  };
  EXPECT_TRUE(contains(message({"--add-nodes", path("bad.csv")}, 1),
                       "bad.csv:2: node 'c5' is in the graph already"));
  EXPECT_TRUE(contains(message({"--add-edges", path("new_edges.csv")}, 1),
                       "is neither in dataset"));
  EXPECT_TRUE(contains(message({"--changed"}, 2),
                       "--changed needs --add-nodes or --add-edges"));
  EXPECT_TRUE(contains(message({"--id", "who"}, 2), "which is not given"));
  EXPECT_TRUE(
      contains(message({"--add-nodes", path("new.csv"), "--reorder", "rcm"}, 2),
               "leave out --reorder"));
}

}  // namespace
}  // namespace ordered_gnn
