#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class TuneCommand : public testing::Test {
 protected:
  void SetUp() override { generate_without_splits(data_); }

  Outcome tune(std::vector<std::string> more) {
    std::vector<std::string> words = {"tune", "--data",    data_, "--out",
                                      out_,   "--threads", "1",   "--minutes",
                                      "0",    "--epochs",  "4"};
    words.insert(words.end(), more.begin(), more.end());
    return run_ognn(words);
  }

  TempDir dir_;
  std::string data_ = (dir_ / "my graph.npz").string();
  std::string out_ = (dir_ / "my tuned").string();
};

TEST_F(TuneCommand, PrintsTheCommandThatPredictsWithTheModel) {
  const Outcome outcome = tune({});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const std::string checkpoint = out_ + "/best/split-0/model.safetensors";
  EXPECT_TRUE(contains(outcome.out, "ognn predict --checkpoint '" + checkpoint +
                                        "' --out predictions.csv"));
  EXPECT_TRUE(contains(outcome.err, "drew stratified:60/20/20x1"));
  EXPECT_TRUE(contains(outcome.out, "val accuracy, %"));
  const Outcome predicted =
      run_ognn({"predict", "--checkpoint", checkpoint, "--out",
                (dir_ / "p.csv").string(), "--quiet"});
  EXPECT_EQ(predicted.status, 0) << predicted.err;
}

TEST_F(TuneCommand, PinsTheThreadsOfItsRuns) {
  const Outcome refused = tune({"--pin", "--threads", "4096"});
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--pin has "));
}

TEST_F(TuneCommand, GoesOnAndAnswersInJson) {
  ASSERT_EQ(tune({"--quiet"}).status, 0);
  const Outcome again = tune({"--json", "--quiet"});
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(again.err, "");
  const Json json = Json::parse(again.out);
  EXPECT_EQ(json.at("best"), "mlp");
  EXPECT_EQ(json.at("models").size(), 3u);
  EXPECT_TRUE(json.at("summary").at("val_mean").is_number());
}

TEST_F(TuneCommand, HelpHasExamplesAndMistakesAreExplained) {
  const Outcome help = run_ognn({"tune", "--help"});
  EXPECT_TRUE(contains(help.out, "ognn tune --data graph.npz"));
  EXPECT_TRUE(contains(help.out, "--minutes"));
  EXPECT_EQ(run_ognn({"tune"}).status, 2);
  EXPECT_TRUE(contains(run_ognn({"tune"}).err, "--data"));
  EXPECT_EQ(tune({"--minutes", "-1"}).status, 2);
  EXPECT_TRUE(contains(tune({"--models", "mpl"}).err, "mlp"));
}

}  // namespace
}  // namespace ordered_gnn
