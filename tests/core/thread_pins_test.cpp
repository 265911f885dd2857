#include "core/thread_pins.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

#include "ordered_gnn/core/parallel.h"
#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

int places_of_this_thread() {
  cpu_set_t set;
  CPU_ZERO(&set);
  ::sched_getaffinity(0, sizeof(set), &set);
  return CPU_COUNT(&set);
}

TEST(ThreadPins, TakeEveryCoreBeforeASecondThreadOfOne) {
  const CpuTopology machine{{{0, 4}, {1, 5}, {2}}, 0};
  EXPECT_EQ(pin_order(machine), (std::vector<int>{0, 1, 2, 4, 5}));
}

TEST(ThreadPins, RefuseMoreThreadsThanThereArePlaces) {
  CpuTopology machine{{{0, 2}, {1, 3}}, 0};
  EXPECT_EQ(refusal_to_pin(4, machine), "");
  EXPECT_EQ(refusal_to_pin(5, machine),
            "--pin has 4 places here (2 cores of 2 hardware threads), but "
            "--threads is 5; use --threads 4 or leave out --pin");
  machine.quota = 1.5;
  EXPECT_EQ(refusal_to_pin(2, machine), "");
  EXPECT_EQ(refusal_to_pin(3, machine),
            "--pin with 3 threads needs as many processors, but the control "
            "group of this process grants 1.5; use --threads 2 or leave out "
            "--pin");
  EXPECT_TRUE(contains(error_of([] { pin_threads(100000); }), "--pin has "));
  EXPECT_FALSE(is_pinned());
}

// On how many processors each thread of a loop may be. A block ends when all
// have begun, so that every thread has one.
std::vector<int> places_of_loop(int threads) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  std::vector<int> places(static_cast<size_t>(threads));
  std::atomic<int> begun{0};
  parallel_blocks(threads, [&](int64_t block) {
    ++begun;
    while (begun < threads && std::chrono::steady_clock::now() < end) {
      std::this_thread::yield();
    }
    places[static_cast<size_t>(block)] = places_of_this_thread();
  });
  return places;
}

TEST(ThreadPins, AreUndoneForHelpersToo) {
  std::thread([] {
    const ThreadScope scope(2);
    const std::vector<int> free(2, available_cores()), pinned(2, 1);
    EXPECT_EQ(places_of_loop(2), free);
    if (refusal_to_pin(2, topology()).empty()) {
      pin_threads(2);
      EXPECT_EQ(places_of_loop(2), pinned);
      unpin_threads();
      EXPECT_EQ(places_of_loop(2), free);
    }
  }).join();
}

TEST(ThreadPins, AHelperWithoutAPlaceIsFree) {
  std::thread([] {
    pin_helper(0);
    EXPECT_EQ(places_of_this_thread(), 1);
    pin_helper(available_cores());
    EXPECT_EQ(places_of_this_thread(), available_cores());
  }).join();
}

// On a thread of its own, whose helpers end with it.
TEST(ThreadPins, LoopsRunInOnePlaceEachAndTheCallerIsFreeInBetween) {
  const int threads = topology().within_quota(available_cores());
  std::thread([&] {
    pin_threads(threads);
    EXPECT_TRUE(is_pinned());
    const ThreadScope scope(threads);
    std::atomic<int> blocks{0};
    parallel_blocks(64, [&](int64_t) {
      if (threads > 1) {
        EXPECT_EQ(places_of_this_thread(), 1);
      }
      ++blocks;
    });
    EXPECT_EQ(blocks, 64);
    EXPECT_EQ(places_of_this_thread(), available_cores());
    unpin_threads();
    EXPECT_FALSE(is_pinned());
  }).join();
  // Other threads are left alone.
  EXPECT_FALSE(is_pinned());
  EXPECT_EQ(places_of_this_thread(), available_cores());
}

}  // namespace
}  // namespace ordered_gnn::core
