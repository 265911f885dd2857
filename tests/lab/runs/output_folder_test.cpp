#include "lab/runs/output_folder.h"

#include <gtest/gtest.h>

#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

namespace fs = std::filesystem;

class OutputFolderTest : public testing::Test {
 protected:
  std::string open(ExistingOutput existing,
                   const Json& identity = {{"lr", 1}}) {
    return error_of([&] {
      OutputFolder folder(path_, existing, identity, Json::object());
    });
  }

  TempDir dir_;
  fs::path path_ = dir_ / "deep" / "run";
};

TEST_F(OutputFolderTest, ANewFolderIsCreatedAndMarked) {
  EXPECT_EQ(open(ExistingOutput::refuse), "");
  EXPECT_TRUE(fs::exists(path_ / "run.json"));
}

TEST_F(OutputFolderTest, AFolderOfSomebodyElseIsNeverTouched) {
  write_text(path_ / "thesis.tex", "precious");
  for (const auto existing : {ExistingOutput::refuse, ExistingOutput::resume,
                              ExistingOutput::overwrite}) {
    EXPECT_TRUE(contains(open(existing), "was not written by this program"));
    EXPECT_FALSE(fs::exists(path_ / "run.json"));
    EXPECT_TRUE(fs::exists(path_ / "thesis.tex"));
  }
}

TEST_F(OutputFolderTest, AFileIsNoFolder) {
  write_text(path_, "text");
  EXPECT_TRUE(contains(open(ExistingOutput::refuse), "not a folder"));
}

TEST_F(OutputFolderTest, AnEarlierRunNeedsResumeOrOverwrite) {
  ASSERT_EQ(open(ExistingOutput::refuse), "");
  write_text(path_ / "split-0" / "result.json", "{}");
  EXPECT_TRUE(contains(open(ExistingOutput::refuse), "--resume"));
  EXPECT_EQ(open(ExistingOutput::resume), "");
  EXPECT_TRUE(fs::exists(path_ / "split-0" / "result.json"));
  EXPECT_EQ(open(ExistingOutput::overwrite), "");
  EXPECT_FALSE(fs::exists(path_ / "split-0"));
}

TEST_F(OutputFolderTest, ResumingWithOtherSettingsNamesThem) {
  ASSERT_EQ(open(ExistingOutput::refuse), "");
  const std::string message = open(ExistingOutput::resume, {{"lr", 2}});
  EXPECT_TRUE(contains(message, "lr (1 then, 2 now)")) << message;
}

TEST_F(OutputFolderTest, ASettingThatIsGoneIsADifferenceToo) {
  const std::string message = [&] {
    open(ExistingOutput::refuse, {{"lr", 1}, {"old", 2}});
    return open(ExistingOutput::resume, {{"lr", 1}});
  }();
  EXPECT_TRUE(contains(message, "old (2 then, none now)"));
}

TEST_F(OutputFolderTest, AMarkerThatWasCutWhileItWasWrittenIsNotInTheWay) {
  write_text(path_ / ".run.json.17-0.tmp", "{");
  EXPECT_EQ(open(ExistingOutput::resume), "");
  EXPECT_TRUE(fs::exists(path_ / "run.json"));
}

TEST_F(OutputFolderTest, FoldersOfAnotherKindAreNotMistaken) {
  const FolderKind kind = {"sweep.json", "ordered_gnn sweep 1", "sweep"};
  {
    OutputFolder folder(path_, ExistingOutput::resume, {{"lr", 1}},
                        Json{{"trials", 3}}, kind);
    EXPECT_EQ(folder.fact("trials"), 3);
    EXPECT_TRUE(folder.fact("none").is_null());
    folder.set_fact("trials", 4);
  }
  const OutputFolder again(path_, ExistingOutput::resume, {{"lr", 1}},
                           Json{{"trials", 9}}, kind);
  EXPECT_EQ(again.fact("trials"), 4);
  EXPECT_TRUE(contains(open(ExistingOutput::resume), "not written by this"));
}

TEST_F(OutputFolderTest, TwoRunsDoNotShareAFolder) {
  const OutputFolder first(path_, ExistingOutput::refuse, {{"lr", 1}},
                           Json::object());
  EXPECT_TRUE(contains(open(ExistingOutput::resume), "in use"));
}

}  // namespace
}  // namespace ordered_gnn::lab
