#include "train/recording_turns.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ordered_gnn::training {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// Far longer than any of the waits.
constexpr std::chrono::minutes kForever{1};

void wait_for_waiting(RecordingTurns& turns, int64_t count) {
  while (turns.waiting() < count) std::this_thread::yield();
}

TEST(RecordingTurns, GoToOneAtATime) {
  RecordingTurns turns;
  std::atomic<int> inside{0};
  std::atomic<bool> alone{true};
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      for (int k = 0; k < 50; ++k) {
        const RecordingTurns::Turn turn =
            i % 2 == 0 ? turns.record() : turns.give_up();
        if (++inside != 1) alone = false;
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE(alone);
}

TEST(RecordingTurns, WhoGivesUpGoesFirst) {
  RecordingTurns turns;
  std::mutex mutex;
  std::string order;
  const auto note = [&](char name) {
    const std::lock_guard<std::mutex> lock(mutex);
    order += name;
  };
  std::vector<std::thread> threads;
  {
    const RecordingTurns::Turn turn = turns.record();
    for (int i = 0; i < 3; ++i) {
      threads.emplace_back([&] {
        const RecordingTurns::Turn own = turns.record();
        note('r');
      });
    }
    wait_for_waiting(turns, 3);
    threads.emplace_back([&] {
      const RecordingTurns::Turn own = turns.give_up();
      note('g');
    });
    wait_for_waiting(turns, 4);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(order, "grrr");
}

TEST(RecordingTurns, StandingBackLastsWhileSomebodyRecords) {
  RecordingTurns turns;
  std::atomic<bool> recorded{false};
  std::thread recorder;
  {
    const RecordingTurns::Turn turn = turns.record();
    recorder = std::thread([&] {
      const RecordingTurns::Turn own = turns.record();
      std::this_thread::sleep_for(milliseconds(20));
      recorded = true;
    });
    wait_for_waiting(turns, 1);
  }
  turns.stand_back(kForever);
  EXPECT_TRUE(recorded);
  recorder.join();
}

TEST(RecordingTurns, StandingBackEndsAfterATime) {
  RecordingTurns turns;
  const RecordingTurns::Turn turn = turns.record();
  const auto start = Clock::now();
  turns.stand_back(milliseconds(10));
  EXPECT_GE(Clock::now() - start, milliseconds(10));
}

TEST(RecordingTurns, WhoGivesUpIsNotStoodBackFor) {
  RecordingTurns turns;
  const RecordingTurns::Turn turn = turns.give_up();
  const auto start = Clock::now();
  turns.stand_back(kForever);
  EXPECT_LT(Clock::now() - start, kForever);
}

}  // namespace
}  // namespace ordered_gnn::training
