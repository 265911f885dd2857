// Predictions as a table: which nodes, which columns, how sure.
#include <gtest/gtest.h>

#include <filesystem>

#include "cli/decisions.h"
#include "core/io/file.h"
#include "data/formats/csv/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "support/current_folder.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

TEST_F(Decisions, PredictListsTheNodesThatAreAskedFor) {
  ASSERT_EQ(
      call("predict", {"--only", "unlabelled", "--out", path("p.csv")}).status,
      0);
  Words rows = lines("p.csv");
  ASSERT_EQ(rows.size(), 6u);
  EXPECT_EQ(rows[0], "node,label,prob_ash,prob_beech,prob_cedar,prob_date");
  EXPECT_EQ(rows[1].substr(0, 7), "tree-3,");
  EXPECT_EQ(rows[5].substr(0, 9), "tree-199,");
  const Json json =
      json_of("predict", {"--only", "labelled", "--out", path("p.csv")});
  EXPECT_EQ(json.at("rows"), 195);
  EXPECT_EQ(json.at("num_nodes"), 200);
  write_text(path("names.txt"), "tree-7\n\ntree-5\n");
  ASSERT_EQ(
      call("predict", {"--only", path("names.txt"), "--out", path("p.csv")})
          .status,
      0);
  rows = lines("p.csv");
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1].substr(0, 7), "tree-7,");
  EXPECT_EQ(rows[2].substr(0, 7), "tree-5,");
  // The first column of a table, whatever its header says.
  write_text(path("table.csv"), "id,age\n\"tree-9\",4\ntree-8,5\n");
  ASSERT_EQ(
      call("predict", {"--only", path("table.csv"), "--out", path("p.csv")})
          .status,
      0);
  EXPECT_EQ(lines("p.csv")[1].substr(0, 7), "tree-9,");
}

TEST_F(Decisions, AListOfNodesIsCheckedLineByLine) {
  const auto error = [&](const std::string& text) {
    write_text(path("names.txt"), text);
    const Outcome outcome =
        call("predict", {"--only", path("names.txt"), "--out", path("p.csv")});
    EXPECT_EQ(outcome.status, 1);
    return outcome.err;
  };
  EXPECT_TRUE(contains(error("tree-1\ntree-200\n"),
                       "names.txt:2: 'four' has no node 'tree-200'"));
  EXPECT_TRUE(contains(error("tree-1\ntree-2\ntree-1\n"),
                       "names.txt:3: node 'tree-1' is on line 1 already"));
  EXPECT_TRUE(contains(error("tree-x\n"), "names.txt:1: 'four' has no node"));
  EXPECT_TRUE(contains(error("7\n"), "names.txt:1: 'four' has no node '7'"));
  EXPECT_TRUE(contains(error("node\n"), "names no node"));
  EXPECT_FALSE(std::filesystem::exists(path("p.csv")));
  EXPECT_EQ(
      call("predict", {"--only", path("none.txt"), "--out", path("p.csv")})
          .status,
      2);
  EXPECT_EQ(
      call("predict", {"--only", "labelled", "--gates", path("g.npz")}).status,
      2);
}

TEST_F(Decisions, PredictAddsColumnsAtTheEnd) {
  ASSERT_EQ(call("predict",
                 {"--columns", "known,part,confidence", "--out", path("p.csv")})
                .status,
            0);
  const Words rows = lines("p.csv");
  EXPECT_EQ(rows[0],
            "node,label,prob_ash,prob_beech,prob_cedar,prob_date,known_label,"
            "part,confidence");
  const RawDataset raw = four_classes();
  Words parts(200, "none");
  const auto mark = [&](const at::Tensor& nodes, const char* part) {
    for (int64_t i = 0; i < nodes.numel(); ++i) {
      parts[nodes[i].item<int64_t>()] = part;
    }
  };
  mark(raw.splits[0].train, "train");
  mark(raw.splits[0].val, "val");
  mark(raw.splits[0].test, "test");
  for (int64_t v = 0; v < 200; ++v) {
    const auto label = raw.labels[v].item<int64_t>();
    const std::string expected =
        "," + (label < 0 ? "" : raw.class_names[label]) + "," + parts[v] + ",";
    EXPECT_TRUE(contains(rows[v + 1], expected));
  }
  // Other data has no part.
  write_two_classes(dir_ / "two");
  const Outcome other = call("predict", {"--data", path("two"), "--columns",
                                         "part", "--out", path("p.csv")});
  EXPECT_EQ(other.status, 0) << other.err;
  EXPECT_TRUE(contains(other.err, "the column 'part' is left empty"));
  EXPECT_EQ(lines("p.csv")[1].back(), ',');
  for (const char* const wrong : {"known,known", "parts", "known,"}) {
    EXPECT_EQ(
        call("predict", {"--columns", wrong, "--out", path("p.csv")}).status, 2)
        << wrong;
  }
}

TEST_F(Decisions, TopClassesComeMostProbableFirst) {
  ASSERT_EQ(call("predict", {"--top", "2", "--out", path("p.csv")}).status, 0);
  const Words rows = lines("p.csv");
  EXPECT_EQ(rows[0], "node,label,class_1,prob_1,class_2,prob_2");
  for (size_t i = 1; i < rows.size(); ++i) {
    char node[32], label[32], first[32], second[32];
    double p = 0, q = 0;
    ASSERT_EQ(
        std::sscanf(rows[i].c_str(), "%31[^,],%31[^,],%31[^,],%lf,%31[^,],%lf",
                    node, label, first, &p, second, &q),
        6);
    EXPECT_STREQ(label, first);
    EXPECT_STRNE(first, second);
    EXPECT_GE(p, q);
  }
  // A file of this form is known as ours.
  EXPECT_EQ(call("predict", {"--out", path("p.csv")}).status, 0);
  EXPECT_EQ(call("predict", {"--top", "5", "--out", path("p.csv")}).status, 2);
  EXPECT_EQ(call("predict", {"--top", "0", "--out", path("p.csv")}).status, 2);
  EXPECT_EQ(call("predict", {"--top", "2", "--uncertain", "3"}).status, 2);
}

TEST_F(Decisions, LabelsBelowAConfidenceAreLeftOutAndCounted) {
  const Outcome outcome =
      call("predict", {"--min-confidence", "0.9", "--columns", "confidence",
                       "--out", path("p.csv")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Words rows = lines("p.csv");
  int64_t empty = 0;
  for (size_t i = 1; i < rows.size(); ++i) {
    const bool is_empty = rows[i].find(",,") != std::string::npos;
    const double confidence = std::stod(rows[i].substr(rows[i].rfind(',') + 1));
    EXPECT_EQ(is_empty, confidence < 0.9) << rows[i];
    empty += is_empty;
  }
  EXPECT_GT(empty, 0);
  EXPECT_LT(empty, 200);
  EXPECT_TRUE(contains(
      outcome.err, std::to_string(empty) + " are below a confidence of 0.9"));
  EXPECT_EQ(
      json_of("predict", {"--min-confidence", "0.9", "--out", path("p.csv")})
          .at("withheld"),
      empty);
  EXPECT_EQ(call("predict", {"--min-confidence", "90", "--out", path("p.csv")})
                .status,
            2);
}

TEST_F(Decisions, TheLeastCertainNodesArePrinted) {
  const Json json = json_of("predict", {"--uncertain", "4", "--columns",
                                        "confidence", "--out", path("p.csv")});
  std::vector<double> confidences;
  const Words rows = lines("p.csv");
  for (size_t i = 1; i < rows.size(); ++i) {
    confidences.push_back(std::stod(rows[i].substr(rows[i].rfind(',') + 1)));
  }
  std::sort(confidences.begin(), confidences.end());
  ASSERT_EQ(json.at("uncertain").size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const Json& one = json.at("uncertain").at(i);
    EXPECT_NEAR(one.at("confidence").get<double>(), confidences[i], 1e-6);
    EXPECT_NE(one.at("runner_up"), one.at("label"));
    EXPECT_LE(one.at("runner_up_probability"), one.at("confidence"));
  }
  const Outcome text = call("predict", {"--uncertain", "4", "--quiet"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "runner-up"));
  EXPECT_TRUE(contains(
      text.out, json.at("uncertain").at(0).at("node").get<std::string>()));
}

TEST_F(Decisions, PredictSaysWhereItsTimeWent) {
  const Json json = json_of("predict", {"--out", path("p.csv")});
  for (const char* part : {"read", "compute", "write"}) {
    EXPECT_GE(json.at("seconds").at(part).get<double>(), 0) << part;
  }
  const Outcome outcome = call("predict", {"--out", path("p.csv")});
  EXPECT_TRUE(contains(outcome.err, "read in "));
  EXPECT_TRUE(contains(outcome.err, ", written in "));
}

TEST_F(Decisions, PredictTakesThreadsThatFindWork) {
  EXPECT_EQ(json_of("predict", {"--threads", "auto", "--out", path("p.csv")})
                .at("threads"),
            1);
  EXPECT_EQ(json_of("predict", {"--threads", "3", "--out", path("p.csv")})
                .at("threads"),
            3);
}

TEST_F(Decisions, FilesDoNotDependOnThreads) {
  std::string first;
  for (const char* threads : {"1", "2", "7"}) {
    ASSERT_EQ(call("predict",
                   {"--threads", threads, "--columns", "known,part,confidence",
                    "--min-confidence", "0.5", "--out", path("p.csv")})
                  .status,
              0);
    const std::string bytes = core::read_file(path("p.csv"));
    if (first.empty()) first = bytes;
    EXPECT_TRUE(bytes == first) << threads;
  }
}

}  // namespace
}  // namespace ordered_gnn
