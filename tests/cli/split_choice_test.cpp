// Splits that are drawn, shares, and runs without a test part.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/unsplit_data.h"
#include "core/io/file.h"
#include "support/errors.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

class SplitChoice : public UnsplitData {};

TEST_F(SplitChoice, TrainingDrawsASplitWhereThereIsNoneAndSaysSo) {
  const Outcome outcome = train({"--out", path("run")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err,
                       "there are no splits in the data: drew "
                       "stratified:60/20/20x1"));
  EXPECT_TRUE(contains(outcome.err, "54 train, 18 val, 18 test"));
  // Scored on its own data, the checkpoint finds the same split.
  const Json trained =
      Json::parse(core::read_file(dir_ / "run/split-0/result.json"));
  const Outcome scored =
      run_ognn({"evaluate", "--checkpoint",
                path("run/split-0/model.safetensors"), "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_EQ(Json::parse(scored.out).at("test_accuracy"),
            trained.at("test_accuracy"));
  // In the same words the run goes on, and with another seed it is another.
  EXPECT_EQ(train({"--out", path("run"), "--resume"}).status, 0);
  EXPECT_EQ(
      train({"--out", path("run"), "--resume", "--split-seed", "9"}).status, 2);
  EXPECT_TRUE(contains(run_ognn({"data", "info", data_, "--json"}).out,
                       "\"num_splits\": 0"));
}

TEST_F(SplitChoice, SharesAreFractionsOrPerCentAndNothingElse) {
  const auto numbers = [&](const char* set) {
    Json json =
        Json::parse(train({"--json", "--quiet", "--split-set", set}).out);
    return json.at("runs")[0].at("test");
  };
  EXPECT_EQ(numbers("stratified:60/20/20"), numbers("stratified:0.6/0.2/0.2"));
  for (const char* set : {"stratified:10/10/20", "random:0.6/0.2/0.3"}) {
    const Outcome refused = train({"--split-set", set});
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(contains(refused.err, "100 (per cent) or to 1 (fractions)"));
  }
}

TEST_F(SplitChoice, WithoutATestPartNothingIsCalledATestScore) {
  const Outcome outcome =
      train({"--split-set", "stratified:80/20/0", "--out", path("run")});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "no test part, val"));
  EXPECT_TRUE(contains(outcome.err, "no test part"));
  EXPECT_FALSE(contains(outcome.out, "nan"));
  const Json summary = Json::parse(core::read_file(dir_ / "run/summary.json"));
  EXPECT_TRUE(summary.at("test_mean").is_null());
  const std::string checkpoint = path("run/split-0/model.safetensors");
  const Outcome scored = run_ognn({"evaluate", "--checkpoint", checkpoint});
  ASSERT_EQ(scored.status, 0) << scored.err;
  EXPECT_TRUE(contains(scored.out, "There is no test part."));
  EXPECT_TRUE(
      Json::parse(
          run_ognn({"evaluate", "--checkpoint", checkpoint, "--json"}).out)
          .at("test_accuracy")
          .is_null());
  const Outcome page = run_ognn({"report", path("run")});
  ASSERT_EQ(page.status, 0) << page.err;
  const std::string html = core::read_file(dir_ / "run/report.html");
  EXPECT_TRUE(contains(html, "no test part"));
  const Outcome explained = run_ognn({"explain", "--checkpoint", checkpoint});
  EXPECT_EQ(explained.status, 0) << explained.err;
}

TEST_F(SplitChoice, SweepsAndComparisonsNeedNoTestPart) {
  write_text(dir_ / "sweep.json",
             R"({"fixed": {"layers": 2, "hidden": 16, "epochs": 4},
                 "search": {"lr": [0.001, 0.01]}})");
  const Outcome sweep = run_ognn(
      {"sweep", "--config", path("sweep.json"), "--data", data_, "--split-set",
       "stratified:80/20/0", "--out", path("sweep"), "--threads", "1"});
  ASSERT_EQ(sweep.status, 0) << sweep.err;
  EXPECT_TRUE(contains(sweep.out, "no test part"));
  const Outcome compared =
      run_ognn({"compare", "--data", data_, "--models", "mlp,gcn", "--trials",
                "0", "--epochs", "4", "--split-set", "stratified:80/20/0x2",
                "--out", path("compared"), "--threads", "1"});
  ASSERT_EQ(compared.status, 0) << compared.err;
  EXPECT_TRUE(contains(compared.out, "validation accuracy, %"));
  EXPECT_TRUE(contains(compared.out, "There is no test part"));
  EXPECT_EQ(run_ognn({"report", path("compared")}).status, 0);
}

TEST_F(SplitChoice, MistakesAboutSplitsNameTheOption) {
  EXPECT_TRUE(contains(train({"--splits", "4"}).err,
                       "--split-set stratified:60/20/20x5"));
  EXPECT_TRUE(contains(train({"--split-set", "none"}).err, "--split-set"));
  EXPECT_TRUE(contains(train({"--split-set", "stratified:99/0.5/0.5x1"}).err,
                       "--split-set"));
}

TEST_F(SplitChoice, WeightsAndMetricsAreTakenFromTheCommandLine) {
  const Outcome weighted = train({"--class-weights", "0:5,1:0.5", "--metric",
                                  "log_loss", "--json", "--quiet"});
  ASSERT_EQ(weighted.status, 0) << weighted.err;
  const Json json = Json::parse(weighted.out);
  EXPECT_EQ(json.at("metric"), "log_loss");
  EXPECT_EQ(json.at("val_mean"), json.at("runs")[0].at("val").at("log_loss"));
  EXPECT_EQ(json.at("config").at("class-weights"), "0:5,1:0.5");
  EXPECT_TRUE(
      contains(train({"--class-weights", "7:2"}).err, "classes are 0 to 2"));
  EXPECT_TRUE(contains(train({"--metric", "roc_acu"}).err, "roc_auc"));
}

}  // namespace
}  // namespace ordered_gnn
