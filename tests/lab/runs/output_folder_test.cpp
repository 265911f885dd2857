#include "lab/runs/output_folder.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

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

TEST_F(OutputFolderTest, AMarkerWhoseIdentityIsNoObjectIsDamaged) {
  write_text(path_ / "run.json",
             R"({"format": "ordered_gnn run 1", "identity": "x"})");
  EXPECT_TRUE(contains(open(ExistingOutput::resume), "run.json: is damaged"));
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

// Folders, files and links of a user at every level, beside all that we write.
TEST_F(OutputFolderTest, OverwritingDeletesOnlyWhatWeWrote) {
  ASSERT_EQ(open(ExistingOutput::refuse), "");
  const std::vector<std::string> ours = {
      "summary.json",
      "split-0/model.safetensors",
      "split-0/metrics.jsonl",
      "split-0/result.json",
      "split-0/curves.csv",
      "split-12/state.safetensors",
      "split-12/.state.safetensors.2147483646-0.tmp",
      ".summary.json.2147483646-1.tmp"};
  const std::vector<std::string> theirs = {
      "notes.txt",
      "split-notes.txt",
      "split-0/notes.md",
      "split-0/plots/a.svg",
      "split-7x/model.safetensors",
      "split-007/result.json",
      "split-3",
      "elsewhere/split-0/model.safetensors",
      ".summary.json.tmp",
      "split-0/.result.json.mine.tmp"};
  for (const std::string& name : ours) write_text(path_ / name, "ours");
  for (const std::string& name : theirs) write_text(path_ / name, "theirs");
  write_text(dir_ / "far" / "result.json", "theirs");
  fs::create_directory_symlink(dir_ / "far", path_ / "split-5");
  {
    const OutputFolder folder(path_, ExistingOutput::overwrite, {{"lr", 2}},
                              Json::object());
    EXPECT_EQ(folder.left(),
              (std::vector<std::string>{
                  ".summary.json.tmp", "elsewhere/", "notes.txt",
                  "split-0/.result.json.mine.tmp", "split-0/notes.md",
                  "split-0/plots/", "split-007/", "split-3", "split-5",
                  "split-7x/", "split-notes.txt"}));
    EXPECT_EQ(folder_fact(path_, "identity"), (Json{{"lr", 2}}));
  }
  for (const std::string& name : ours) {
    EXPECT_FALSE(fs::exists(path_ / name)) << name;
  }
  for (const std::string& name : theirs) {
    EXPECT_TRUE(fs::exists(path_ / name)) << name;
  }
  EXPECT_FALSE(fs::exists(path_ / "split-12"));
  EXPECT_TRUE(fs::exists(dir_ / "far" / "result.json"));
}

TEST_F(OutputFolderTest, AFolderInPlaceOfAFileOfOursIsNotDeleted) {
  ASSERT_EQ(open(ExistingOutput::refuse), "");
  write_text(path_ / "split-0" / "result.json" / "mine", "theirs");
  write_text(path_ / "summary.json" / "mine", "theirs");
  const OutputFolder folder(path_, ExistingOutput::overwrite, {{"lr", 1}},
                            Json::object());
  EXPECT_EQ(folder.left(), (std::vector<std::string>{"split-0/result.json/",
                                                     "summary.json/"}));
  EXPECT_TRUE(fs::exists(path_ / "split-0" / "result.json" / "mine"));
}

TEST_F(OutputFolderTest, WhatAKilledProcessLeftHalfWrittenIsDeleted) {
  for (const auto& kind :
       {FolderKind(), FolderKind{"sweep.json", "ordered_gnn sweep 1", "sweep"},
        FolderKind{"tune.json", "ordered_gnn tuning 1", "search"}}) {
    const fs::path path = dir_ / kind.noun;
    const auto go_on = [&] {
      const OutputFolder folder(path, ExistingOutput::resume, {{"lr", 1}},
                                Json::object(), kind);
    };
    go_on();
    write_text(path / ".trials.csv.2147483646-8.tmp", "half");
    write_text(path / ".mine.tmp", "theirs");
    go_on();
    EXPECT_FALSE(fs::exists(path / ".trials.csv.2147483646-8.tmp"));
    EXPECT_TRUE(fs::exists(path / ".mine.tmp"));
  }
}

TEST_F(OutputFolderTest, APipeIsNoFolder) {
  fs::create_directories(path_.parent_path());
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  EXPECT_TRUE(contains(open(ExistingOutput::resume), "not a folder"));
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
