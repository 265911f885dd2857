#include "lab/runs/run_log.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cmath>
#include <limits>
#include <thread>

#include "core/io/file.h"
#include "support/datasets.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

LoggedRun logged(int64_t split, bool done = true) {
  LoggedRun run;
  run.options = tiny_run();
  run.options.splits = std::to_string(split);
  run.split = split;
  run.fingerprint = "f";
  run.key = run_key(run.options, split, run.fingerprint);
  run.seconds = 1.5;
  run.command = "ognn sweep";
  run.version = "1";
  run.commit = "c";
  run.finished = "2024-05-31T09:30:00Z";
  if (done) {
    run.result.emplace();
    run.result->split = split;
    run.result->epochs = 3;
    run.result->val.accuracy = 0.25;
    run.result->val.roc_auc = std::numeric_limits<double>::quiet_NaN();
  } else {
    run.error = "it diverged";
  }
  return run;
}

class RunLogTest : public testing::Test {
 protected:
  std::string text() { return core::read_file(folder_ / "runs.jsonl"); }
  void set_text(const std::string& text) {
    write_text(folder_ / "runs.jsonl", text);
  }
  // What the log makes of a text.
  std::vector<int64_t> splits_of(const std::string& text) {
    set_text(text);
    std::vector<int64_t> splits;
    for (const LoggedRun& run : RunLog(folder_).runs()) {
      splits.push_back(run.split);
    }
    return splits;
  }
  std::string line(int64_t split, bool done = true) {
    return to_json(logged(split, done)).dump() + "\n";
  }

  TempDir dir_;
  std::filesystem::path folder_ = dir_ / "deep" / "folder";
};

TEST(RunKey, TellsApartWhatDecidesTheResultAndNothingElse) {
  const RunOptions options = tiny_run();
  const std::string key = run_key(options, 0, "f");
  EXPECT_EQ(key.size(), 64u);
  RunOptions same = options;
  same.execution.threads = 3;
  same.execution.workers = 2;
  same.splits = "all";
  same.data.data_root = "/elsewhere";
  EXPECT_EQ(run_key(same, 0, "f"), key);
  RunOptions other = options;
  other.train.lr = 0.02;
  EXPECT_NE(run_key(other, 0, "f"), key);
  EXPECT_NE(run_key(options, 1, "f"), key);
  EXPECT_NE(run_key(options, 0, "g"), key);
}

TEST(UtcNow, IsIso8601) {
  const std::string now = utc_now();
  ASSERT_EQ(now.size(), 20u);
  EXPECT_EQ(now[10], 'T');
  EXPECT_EQ(now[19], 'Z');
}

TEST_F(RunLogTest, GivesBackWhatWasAppended) {
  {
    RunLog log(folder_);
    log.append(logged(0));
    log.append(logged(1, false));
    EXPECT_EQ(log.find(logged(1).key)->error, "it diverged");
  }
  const RunLog log(folder_);
  EXPECT_TRUE(log.broken().empty());
  ASSERT_EQ(log.runs().size(), 2u);
  EXPECT_EQ(to_json(log.runs()[0]).dump(), to_json(logged(0)).dump());
  EXPECT_EQ(to_json(log.runs()[1]).dump(), to_json(logged(1, false)).dump());
  EXPECT_TRUE(std::isnan(log.find(logged(0).key)->result->val.roc_auc));
  EXPECT_EQ(log.find(logged(2).key), nullptr);
}

TEST_F(RunLogTest, KnowsARunFromBeforeAnOptionCame) {
  Json old = to_json(logged(0));
  old["config"].erase("clip-norm");
  old["key"] = std::string(64, 'a');
  set_text(old.dump() + "\n");
  EXPECT_NE(RunLog(folder_).find(logged(0).key), nullptr);
}

TEST_F(RunLogTest, ADoneRunIsNotTakenBackByAFailedOne) {
  RunLog log(folder_);
  log.append(logged(0, false));
  log.append(logged(0));
  log.append(logged(0, false));
  EXPECT_EQ(log.runs().size(), 1u);
  EXPECT_TRUE(log.find(logged(0).key)->result.has_value());
  std::vector<std::string> broken;
  const std::vector<LoggedRun> read = read_run_log(log.file(), &broken);
  ASSERT_EQ(read.size(), 1u);
  EXPECT_TRUE(read[0].result.has_value());
  EXPECT_TRUE(broken.empty());
}

TEST_F(RunLogTest, ARecordCutAnywhereIsLeftOutAndDoesNotHurtTheNext) {
  const std::string first = line(0), second = line(1);
  for (size_t cut = 1; cut < second.size() - 1; ++cut) {
    set_text(first + second.substr(0, cut));
    RunLog log(folder_);
    ASSERT_EQ(log.runs().size(), 1u) << cut;
    ASSERT_EQ(log.broken().size(), 1u) << cut;
    ASSERT_TRUE(contains(log.broken()[0], "runs.jsonl:2: ")) << cut;
    if (cut % 50 != 1) continue;  // appending waits for the disk
    log.append(logged(2));
    const std::vector<LoggedRun> read = read_run_log(log.file());
    ASSERT_EQ(read.size(), 2u) << cut;
    EXPECT_EQ(read[1].split, 2);
  }
}

TEST_F(RunLogTest, ARecordThatOnlyLacksItsNewlineCounts) {
  set_text(line(0) + line(1).substr(0, line(1).size() - 1));
  RunLog log(folder_);
  EXPECT_EQ(log.runs().size(), 2u);
  log.append(logged(2));
  EXPECT_EQ(read_run_log(log.file()).size(), 3u);
}

TEST_F(RunLogTest, BrokenLinesInTheMiddleAreNamed) {
  Json wrong = to_json(logged(1));
  wrong["status"] = "running";
  Json unknown = to_json(logged(1));
  unknown["config"]["lerning-rate"] = 1;
  Json missing = to_json(logged(1));
  missing.erase("result");
  Json key = to_json(logged(1));
  key["key"] = "abc";
  const std::string text = line(0) + "{\n[1]\n\"x\"\n" + wrong.dump() + "\n" +
                           unknown.dump() + "\n" + missing.dump() + "\n" +
                           key.dump() + "\n\n" + std::string(5, '\0') + "\n" +
                           line(2);
  EXPECT_EQ(splits_of(text), (std::vector<int64_t>{0, 2}));
  const RunLog log(folder_);
  ASSERT_EQ(log.broken().size(), 8u);
  EXPECT_TRUE(contains(log.broken()[0], "runs.jsonl:2: is no JSON"));
  EXPECT_TRUE(contains(log.broken()[3], "neither done nor failed"));
  EXPECT_TRUE(contains(log.broken()[4], "lerning-rate"));
  EXPECT_TRUE(contains(log.broken()[5], "result"));
  EXPECT_TRUE(contains(log.broken()[7], "runs.jsonl:10: "));
}

TEST_F(RunLogTest, IsForOneAtATime) {
  const RunLog log(folder_);
  EXPECT_TRUE(contains(error_of([&] { RunLog second(folder_); }),
                       "in use by another process"));
  EXPECT_TRUE(read_run_log(log.file()).empty());
}

TEST_F(RunLogTest, AFullDiskIsSaidSoAndTheLogStaysUsable) {
  RunLog log(folder_);
  log.append(logged(0));
  struct rlimit before {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = before;
  small.rlim_cur = text().size() + 10;
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const std::string message = error_of([&] { log.append(logged(1)); });
  ::setrlimit(RLIMIT_FSIZE, &before);
  ::signal(SIGXFSZ, handler);
  EXPECT_TRUE(contains(message, "the disk is full"));
  EXPECT_EQ(log.find(logged(1).key), nullptr);
  log.append(logged(2));
  EXPECT_EQ(read_run_log(log.file()).size(), 2u);
}

TEST_F(RunLogTest, TextThatIsNoUtf8IsKeptReadable) {
  RunLog log(folder_);
  LoggedRun run = logged(0, false);
  run.error = "bad \xff byte";
  log.append(run);
  EXPECT_TRUE(contains(read_run_log(log.file())[0].error, "bad "));
}

TEST_F(RunLogTest, ThreadsAppendWholeLines) {
  RunLog log(folder_);
  std::vector<std::thread> threads;
  for (int64_t t = 0; t < 4; ++t) {
    threads.emplace_back([&log, t] {
      for (int64_t i = 0; i < 5; ++i) log.append(logged(10 * t + i));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::vector<std::string> broken;
  EXPECT_EQ(read_run_log(log.file(), &broken).size(), 20u);
  EXPECT_TRUE(broken.empty());
}

TEST_F(RunLogTest, SeveralAreAppendedAtOnce) {
  RunLog log(folder_);
  log.append(std::vector<LoggedRun>{logged(0), logged(1, false), logged(2)});
  EXPECT_EQ(log.runs().size(), 3u);
  EXPECT_EQ(text(), line(0) + line(1, false) + line(2));
}

TEST_F(RunLogTest, AMissingFileIsAnErrorForReaders) {
  EXPECT_TRUE(contains(error_of([&] { read_run_log(folder_ / "runs.jsonl"); }),
                       "runs.jsonl"));
}

}  // namespace
}  // namespace ordered_gnn::lab
