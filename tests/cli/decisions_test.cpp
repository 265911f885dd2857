// What comes out of a model for decisions: scores by class, predictions as a
// table, calibration.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cli/named_dataset.h"
#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "data/formats/csv/dataset.h"
#include "data/formats/npz/dataset.h"
#include "ordered_gnn/data/registry.h"
#include "support/current_folder.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;
using Words = std::vector<std::string>;

class Decisions : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    shared_ = new TempDir;
    data::write_npz_dataset(*shared_ / "four.npz", four_classes());
    const Outcome trained =
        run_ognn({"train", "--data", (*shared_ / "four.npz").string(),
                  "--layers", "2", "--hidden", "16", "--epochs", "40",
                  "--quiet", "--out", (*shared_ / "run").string()});
    ASSERT_EQ(trained.status, 0) << trained.err;
  }
  static void TearDownTestSuite() {
    delete shared_;
    shared_ = nullptr;
  }

  std::string path(const std::string& name) { return (dir_ / name).string(); }
  static std::string model() {
    return (*shared_ / "run/split-0/model.safetensors").string();
  }
  Outcome call(const std::string& command, const Words& more) {
    Words words = {command, "--checkpoint", model()};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }
  Json json_of(const std::string& command, Words more) {
    more.emplace_back("--json");
    const Outcome outcome = call(command, more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return Json::parse(outcome.out, nullptr, false);
  }
  Words lines(const std::string& name) {
    std::ifstream in(path(name));
    Words out;
    for (std::string line; std::getline(in, line);) out.push_back(line);
    return out;
  }

  static TempDir* shared_;
  TempDir dir_;
};
TempDir* Decisions::shared_ = nullptr;

// The nodes of two classes; these have other numbers than in the training.
void write_two_classes(const std::filesystem::path& folder) {
  RawDataset raw = four_classes();
  const at::Tensor labels = raw.labels.clone();
  for (int64_t v = 0; v < raw.num_nodes; ++v) {
    const int64_t label = raw.labels[v].item<int64_t>();
    labels[v] = label == 3 ? 0 : label == 1 ? 1 : -1;
  }
  raw.labels = labels;
  raw.class_names = {"date", "beech"};
  raw.num_classes = 2;
  raw.splits.clear();
  data::write_csv_dataset(folder, raw);
}

TEST_F(Decisions, ClassesAreMatchedByNameWhenThereAreFewer) {
  write_two_classes(dir_ / "two");
  const Json all = json_of("evaluate", {"--on", "labelled"});
  const Json two = json_of("evaluate", {"--data", path("two")});
  EXPECT_EQ(two.at("on"), "labelled");
  EXPECT_TRUE(two.at("split").is_null());
  EXPECT_EQ(two.at("classes"), Json({"ash", "beech", "cedar", "date"}));
  for (const int c : {1, 3}) {
    EXPECT_EQ(two.at("labelled").at("confusion").at(c),
              all.at("labelled").at("confusion").at(c));
    EXPECT_EQ(two.at("labelled").at("classes").at(c).at("recall"),
              all.at("labelled").at("classes").at(c).at("recall"));
  }
  EXPECT_GT(two.at("labelled_accuracy").get<double>(), 0.7);
  const Json explained = json_of("explain", {"--data", path("two")});
  EXPECT_EQ(explained.at("parts").back().at("accuracy"),
            two.at("labelled_accuracy"));
  EXPECT_EQ(explained.at("by_class").at(3).at("name"), "date");
  EXPECT_EQ(explained.at("by_class").at(3).at("nodes"),
            all.at("labelled").at("classes").at(3).at("support"));
}

TEST_F(Decisions, AnUnknownClassIsAnErrorOrLeftOutAndCounted) {
  RawDataset raw = four_classes();
  raw.class_names[2] = "cypress";
  data::write_npz_dataset(dir_ / "new.npz", raw);
  for (const char* const command : {"evaluate", "explain"}) {
    const Outcome refused = call(command, {"--data", path("new.npz")});
    EXPECT_EQ(refused.status, 1);
    EXPECT_TRUE(contains(refused.err, "is of class 'cypress'"));
    EXPECT_TRUE(contains(refused.err, "node 'tree-"));
  }
  const Words ignore = {"--data", path("new.npz"), "--unknown-classes",
                        "ignore"};
  const Outcome told = call("evaluate", ignore);
  EXPECT_EQ(told.status, 0) << told.err;
  EXPECT_TRUE(contains(told.err,
                       "nodes of 'four' are of classes that the "
                       "model does not know (cypress)"));
  const Json left = json_of("evaluate", ignore);
  const Json all = json_of("evaluate", {});
  EXPECT_EQ(left.at("test").at("classes").at(2).at("support"), 0);
  EXPECT_EQ(left.at("test").at("confusion").at(0),
            all.at("test").at("confusion").at(0));
  EXPECT_EQ(call("evaluate", {"--unknown-classes", "ignor"}).status, 2);
}

TEST_F(Decisions, EvaluateSaysHowEveryClassFaresAndHowSureTheModelIs) {
  const Json json = json_of("evaluate", {});
  for (const char* const part : {"train", "val", "test"}) {
    const Json& scores = json.at(part);
    int64_t support = 0, hits = 0;
    for (int c = 0; c < 4; ++c) {
      const Json& one = scores.at("classes").at(c);
      int64_t row = 0, column = 0;
      for (int d = 0; d < 4; ++d) {
        row += scores.at("confusion").at(c).at(d).get<int64_t>();
        column += scores.at("confusion").at(d).at(c).get<int64_t>();
      }
      EXPECT_EQ(one.at("support"), row);
      EXPECT_EQ(one.at("predicted"), column);
      EXPECT_EQ(one.at("hits"), scores.at("confusion").at(c).at(c));
      support += row;
      hits += one.at("hits").get<int64_t>();
    }
    EXPECT_EQ(scores.at("labelled"), support);
    EXPECT_DOUBLE_EQ(scores.at("accuracy").get<double>(),
                     static_cast<double>(hits) / static_cast<double>(support));
    double error = 0;
    for (const Json& bin : scores.at("calibration")) {
      if (bin.at("nodes") == 0) continue;
      error += bin.at("nodes").get<double>() *
               std::abs(bin.at("accuracy").get<double>() -
                        bin.at("confidence").get<double>());
    }
    EXPECT_NEAR(scores.at("calibration_error").get<double>(),
                error / static_cast<double>(support), 1e-12);
    EXPECT_GT(scores.at("brier").get<double>(), 0);
    EXPECT_FALSE(scores.contains("calibration_error_before"));
  }
  const Outcome text = call("evaluate", {});
  for (const char* const part :
       {"ordered_gnn on four, split 0", "macro F1", "test: every class",
        "precision", "beech", "nodes by label (lines)",
        "expected calibration error", "Brier score"}) {
    EXPECT_TRUE(contains(text.out, part));
  }
  EXPECT_TRUE(contains(call("evaluate", {"--on", "labelled"}).out,
                       "those it was trained on among them"));
  EXPECT_EQ(call("evaluate", {"--on", "everything"}).status, 2);
  EXPECT_EQ(call("evaluate", {"--split", "7"}).status, 2);
}

TEST_F(Decisions, DataWithoutALabelCannotBeScored) {
  RawDataset raw = four_classes();
  raw.labels.fill_(-1);
  raw.splits.clear();
  data::write_npz_dataset(dir_ / "bare.npz", raw);
  const Outcome outcome = call("evaluate", {"--data", path("bare.npz")});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "has no labelled node"));
}

TEST_F(Decisions, CalibrationLowersTheLossOfValidationAndKeepsTheScores) {
  const Json plain = json_of("evaluate", {});
  const Json json = json_of("evaluate", {"--calibrate"});
  const Json& fit = json.at("calibration");
  EXPECT_TRUE(fit.at("is_fitted"));
  EXPECT_NEAR(fit.at("loss_before").get<double>(),
              plain.at("val").at("loss").get<double>(), 1e-5);
  EXPECT_NEAR(fit.at("loss_after").get<double>(),
              json.at("val").at("loss").get<double>(), 1e-9);
  EXPECT_LT(fit.at("loss_after"), fit.at("loss_before"));
  for (const char* const part : {"train", "val", "test"}) {
    EXPECT_EQ(json.at(part).at("accuracy"), plain.at(part).at("accuracy"));
    EXPECT_EQ(json.at(part).at("confusion"), plain.at(part).at("confusion"));
    EXPECT_EQ(json.at(part).at("calibration_error_before"),
              plain.at(part).at("calibration_error"));
  }
  EXPECT_TRUE(
      contains(call("evaluate", {"--calibrate"}).out, "before calibration"));
  // On other data the temperature is the same.
  write_two_classes(dir_ / "two");
  EXPECT_EQ(json_of("evaluate", {"--data", path("two"), "--calibrate"})
                .at("calibration"),
            fit);
  EXPECT_EQ(
      json_of("predict", {"--uncertain", "1", "--calibrate"}).at("calibration"),
      fit);
}

TEST_F(Decisions, CalibrationNeedsTheDataOfTheTraining) {
  const std::filesystem::path away = dir_ / "away";
  std::filesystem::create_directories(away);
  std::filesystem::copy_file(*shared_ / "four.npz", away / "g.npz");
  const CurrentFolder folder(away);
  ASSERT_EQ(run_ognn({"train", "--data", "g.npz", "--layers", "1", "--epochs",
                      "2", "--quiet", "--out", "run"})
                .status,
            0);
  std::filesystem::rename(away / "g.npz", away / "h.npz");
  const Outcome outcome = run_ognn(
      {"evaluate", "--checkpoint", "run/split-0/model.safetensors", "--data",
       "h.npz", "--split-set", "random:50/25/25", "--calibrate"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "validation nodes of the training"));
  EXPECT_TRUE(contains(outcome.err, "g.npz: nothing is there"));
}

TEST_F(Decisions, AnotherFolderFindsTheData) {
  const std::filesystem::path project = dir_ / "project";
  std::filesystem::create_directories(project / "data");
  std::filesystem::copy_file(*shared_ / "four.npz", project / "data/g.npz");
  std::string typed;
  {
    const CurrentFolder folder(project);
    ASSERT_EQ(run_ognn({"train", "--data", "data/g.npz", "--layers", "1",
                        "--epochs", "2", "--quiet", "--out", "run"})
                  .status,
              0);
    typed = core::read_file("run/run.json", 1 << 24);
  }
  EXPECT_TRUE(contains(typed, "\"data/g.npz\""));
  const Outcome outcome = run_ognn(
      {"evaluate", "--checkpoint",
       (project / "run/split-0/model.safetensors").string(), "--json"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(run_ognn({"report", (project / "run").string(), "--quiet"}).status,
            0);
  EXPECT_FALSE(contains(core::read_file(project / "run/report.html", 1 << 26),
                        "no such file"));
}

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

}  // namespace
}  // namespace ordered_gnn
