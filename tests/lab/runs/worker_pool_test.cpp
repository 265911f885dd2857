#include "lab/runs/worker_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>
#include <vector>

#include "ordered_gnn/train/train.h"
#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

// Waits for another worker; gives up after long, so that a pool that runs one
// index after the other fails a test instead of hanging it.
bool await(const std::atomic<bool>& flag) {
  using Clock = std::chrono::steady_clock;
  const auto give_up = Clock::now() + std::chrono::seconds(60);
  while (!flag && Clock::now() < give_up) std::this_thread::yield();
  return flag;
}

TEST(WorkerPool, EveryIndexRunsOnceForAnyNumberOfWorkers) {
  for (const int64_t workers : {1, 2, 5, 200}) {
    std::vector<std::atomic<int>> seen(100);
    run_on_workers(workers, 100, [&](int64_t index) { ++seen[index]; });
    for (const auto& count : seen) EXPECT_EQ(count, 1) << workers;
  }
  run_on_workers(3, 0, [](int64_t) { FAIL(); });
}

TEST(WorkerPool, OneWorkerIsALoopOnTheCallingThread) {
  const std::thread::id caller = std::this_thread::get_id();
  std::vector<int64_t> order;
  run_on_workers(1, 4, [&](int64_t index) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    order.push_back(index);
  });
  EXPECT_EQ(order, (std::vector<int64_t>{0, 1, 2, 3}));
}

TEST(WorkerPool, WorkersRunSideBySide) {
  std::vector<std::atomic<bool>> started(3);
  run_on_workers(3, 3, [&](int64_t index) {
    started[index] = true;
    for (const auto& other : started) EXPECT_TRUE(await(other));
  });
}

TEST(WorkerPool, TheLowestIndexThatFailsIsReported) {
  std::atomic<bool> later_failed{false};
  std::atomic<int> runs{0};
  const std::string message = error_of([&] {
    run_on_workers(2, 10, [&](int64_t index) {
      ++runs;
      if (index == 1) later_failed = true;
      EXPECT_TRUE(await(later_failed));
      throw Error("index " + std::to_string(index));
    });
  });
  EXPECT_EQ(message, "index 0");
  EXPECT_EQ(runs, 2);
}

// Otherwise a state that could not be saved would go unnoticed.
TEST(WorkerPool, AFailureIsReportedBeforeAWishToStop) {
  for (const int64_t failing : {0, 1}) {
    std::atomic<int> under_way{0};
    const std::string message = error_of([&] {
      run_on_workers(2, 2, [&](int64_t index) {
        ++under_way;
        while (under_way < 2) std::this_thread::yield();
        if (index == failing) throw Error("failed");
        throw Interrupted("stopped");
      });
    });
    EXPECT_EQ(message, "failed") << failing;
  }
  EXPECT_THROW(
      run_on_workers(2, 4, [](int64_t) { throw Interrupted("stopped"); }),
      Interrupted);
}

TEST(WorkerPool, WhatRunsIsWaitedForWhenAnotherFails) {
  std::atomic<bool> started{false}, failing{false}, ended{false};
  const auto body = [&](int64_t index) {
    if (index == 0) {
      EXPECT_TRUE(await(started));
      failing = true;
      throw std::domain_error("x");
    }
    started = true;
    EXPECT_TRUE(await(failing));
    ended = true;
  };
  EXPECT_THROW(run_on_workers(2, 2, body), std::domain_error);
  EXPECT_TRUE(ended);
}

}  // namespace
}  // namespace ordered_gnn::lab
