#include "scale/ranks/watch.h"

#include <gtest/gtest.h>

#include <atomic>
#include <map>

#include "ordered_gnn/core/error.h"
#include "support/errors.h"

namespace ordered_gnn::scale {
namespace {

using std::chrono::milliseconds;

// What rank 0 would keep for all.
struct SharedBoard {
  std::mutex mutex;
  std::map<std::string, std::string> texts;
  std::atomic<bool> answers{true};
  std::atomic<bool> hangs{false};
};

class TestBoard : public Board {
 public:
  explicit TestBoard(SharedBoard& shared) : shared_(shared) {}
  void write(const std::string& name, const std::string& text) override {
    require();
    const std::lock_guard<std::mutex> lock(shared_.mutex);
    shared_.texts[name] = text;
  }
  std::optional<std::string> read(const std::string& name) override {
    require();
    const std::lock_guard<std::mutex> lock(shared_.mutex);
    const auto found = shared_.texts.find(name);
    if (found == shared_.texts.end()) return std::nullopt;
    return found->second;
  }

 private:
  void require() const {
    while (shared_.hangs) std::this_thread::sleep_for(milliseconds(5));
    if (!shared_.answers) throw Error("nobody answers");
  }
  SharedBoard& shared_;
};

// Ranks with watches that look often, and wait longer than a busy machine keeps
// a thread from running.
class WatchedRanks : public ::testing::Test {
 protected:
  static constexpr int kRanks = 3;

  void start(int64_t rank) {
    WatchTimes times;
    times.beat = milliseconds(20);
    times.look = look_;
    times.silence = milliseconds(1500);
    times.arrival = arrival_;
    times.roll_call = milliseconds(800);
    progress_[rank].epoch = 12;
    progress_[rank].layer = 3;
    watches_[rank] = std::make_unique<Watch>(
        std::make_unique<TestBoard>(board_),
        Watch::Member{rank, kRanks, "host-" + std::to_string(rank)},
        progress_[rank],
        [this, rank](const LostRank& lost) {
          const std::lock_guard<std::mutex> lock(mutex_);
          told_[rank] = lost;
        },
        times);
  }

  // Waits until a rank was told something, at most a few seconds.
  LostRank told(int64_t rank) {
    for (int i = 0; i < 1000; ++i) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (told_.count(rank) > 0) return told_[rank];
      }
      std::this_thread::sleep_for(milliseconds(5));
    }
    return {"nothing"};
  }

  bool was_told(int64_t rank) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return told_.count(rank) > 0;
  }

  milliseconds arrival_{1500}, look_{5};
  SharedBoard board_;
  RankProgress progress_[kRanks];
  std::mutex mutex_;
  std::map<int64_t, LostRank> told_;
  std::unique_ptr<Watch> watches_[kRanks];
};

TEST_F(WatchedRanks, SayNothingWhileAllLive) {
  for (int64_t r = 0; r < kRanks; ++r) start(r);
  std::this_thread::sleep_for(milliseconds(2000));
  for (int64_t r = 0; r < kRanks; ++r) EXPECT_FALSE(was_told(r)) << r;
}

TEST_F(WatchedRanks, NameOneThatFallsSilent) {
  for (int64_t r = 0; r < kRanks; ++r) start(r);
  std::this_thread::sleep_for(milliseconds(60));
  watches_[2]->finish();
  for (const int64_t r : {0, 1}) {
    const LostRank lost = told(r);
    EXPECT_TRUE(contains(lost.message,
                         "rank 2 on host-2 was lost in epoch 12, "
                         "layer 3"));
    EXPECT_TRUE(contains(lost.message, "no sign of life"));
    EXPECT_FALSE(lost.failed_itself);
  }
}

// Who has come is known before anything else happens, so that its silence is
// not taken for lateness.
TEST_F(WatchedRanks, NameOneThatFallsSilentAtOnce) {
  arrival_ = std::chrono::minutes(5);
  for (const int64_t r : {0, 1}) start(r);
  look_ = std::chrono::seconds(1);
  start(2);
  watches_[2]->finish();
  EXPECT_TRUE(contains(told(0).message, "rank 2 on host-2 was lost"));
}

TEST_F(WatchedRanks, WaitLongerForOneThatHasNotComeYet) {
  arrival_ = std::chrono::minutes(5);
  for (const int64_t r : {0, 1}) start(r);
  std::this_thread::sleep_for(milliseconds(2000));
  EXPECT_FALSE(was_told(0));
  watches_[1]->finish();
  EXPECT_TRUE(contains(told(0).message, "rank 1 on host-1 was lost"));
}

TEST_F(WatchedRanks, NameOneThatDoesNotAnswerWhenAConnectionBroke) {
  for (const int64_t r : {0, 1}) start(r);
  board_.texts["beat/2"] = R"({"beat":1,"host":"h2"})";
  std::this_thread::sleep_for(milliseconds(60));
  watches_[1]->connection_broke();
  for (const int64_t r : {0, 1}) {
    EXPECT_TRUE(contains(told(r).message, "rank 2 on h2 was lost in epoch 12"));
    EXPECT_TRUE(contains(told(r).message, "does not answer"));
  }
}

TEST_F(WatchedRanks, TellWhatOneSaidOfItself) {
  for (int64_t r = 0; r < kRanks; ++r) start(r);
  watches_[1]->fail_for("g.parts/part-0001/labels.npy: is missing");
  const LostRank lost = told(0);
  EXPECT_TRUE(contains(lost.message, "rank 1 on host-1 failed"));
  EXPECT_TRUE(contains(lost.message, "labels.npy: is missing"));
  EXPECT_TRUE(lost.failed_itself);
  EXPECT_TRUE(contains(told(2).message, "labels.npy"));
}

TEST_F(WatchedRanks, RankZeroStaysUntilTheOthersKnowWhyItFails) {
  for (int64_t r = 0; r < kRanks; ++r) start(r);
  watches_[0]->fail_for("the disk is full");
  board_.answers = false;  // it goes with rank 0
  for (const int64_t r : {1, 2}) {
    EXPECT_TRUE(contains(told(r).message, "rank 0 on host-0 failed"));
    EXPECT_TRUE(contains(told(r).message, "the disk is full"));
    EXPECT_TRUE(told(r).failed_itself);
  }
}

TEST_F(WatchedRanks, RankZeroStaysUntilTheOthersKnow) {
  board_.texts["lost"] = "rank 1 on h1 was lost";
  start(0);  // rank 2 has not looked yet
  std::this_thread::sleep_for(milliseconds(300));
  EXPECT_FALSE(was_told(0));
  start(2);
  EXPECT_EQ(told(0).message, "rank 1 on h1 was lost");
  EXPECT_EQ(told(2).message, "rank 1 on h1 was lost");
}

TEST_F(WatchedRanks, NoticeThatRankZeroIsGone) {
  start(1);
  std::this_thread::sleep_for(milliseconds(30));
  board_.answers = false;
  EXPECT_TRUE(contains(told(1).message, "rank 0 was lost in epoch 12"));
}

TEST_F(WatchedRanks, NoticeThatRankZeroHangs) {
  start(1);
  std::this_thread::sleep_for(milliseconds(30));
  board_.hangs = true;
  const LostRank lost = told(1);
  board_.hangs = false;
  EXPECT_TRUE(contains(lost.message, "rank 0 was lost in epoch 12"));
  EXPECT_TRUE(contains(lost.message, "has not answered"));
}

TEST_F(WatchedRanks, SayNothingOnceTheyHaveFinished) {
  start(1);
  watches_[1]->finish();
  board_.answers = false;
  std::this_thread::sleep_for(milliseconds(60));
  EXPECT_FALSE(was_told(1));
}

}  // namespace
}  // namespace ordered_gnn::scale
