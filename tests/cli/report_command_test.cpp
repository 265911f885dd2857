#include <gtest/gtest.h>

#include <filesystem>

#include "core/io/file.h"
#include "ognn_process.h"
#include "ordered_gnn/core/options.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

TEST(ReportCommand, WritesThePageOfATrainFolder) {
  const TempDir folder;
  const std::string run = (folder / "run").string();
  ASSERT_EQ(run_ognn(tiny_train({"--out", run})).status, 0);
  const Outcome outcome = run_ognn({"report", run, "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("kind"), "train");
  EXPECT_EQ(json.at("out"), run + "/report.html");
  EXPECT_NE(core::read_file(run + "/report.html").find("id=\"node-search\""),
            std::string::npos);
  // A run goes on in a folder that has its page.
  EXPECT_EQ(run_ognn(tiny_train({"--out", run, "--resume"})).status, 0);
  write_text(folder / "mine.html", "mine");
  const Outcome refused =
      run_ognn({"report", run, "--out", (folder / "mine.html").string()});
  EXPECT_EQ(refused.status, 1);
  EXPECT_TRUE(contains(refused.err, "not written by this program"));
}

TEST(ReportCommand, OtherFoldersAreRefused) {
  const TempDir folder;
  const Outcome empty = run_ognn({"report", folder.path().string()});
  EXPECT_EQ(empty.status, 1);
  EXPECT_TRUE(contains(empty.err, "is no folder of results"));
  const Outcome missing = run_ognn({"report", (folder / "none").string()});
  EXPECT_EQ(missing.status, 1);
  EXPECT_TRUE(contains(missing.err, "there is no such folder"));
  const Outcome nothing = run_ognn({"report"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_TRUE(contains(nothing.err, "no folder given"));
}

}  // namespace
}  // namespace ordered_gnn
