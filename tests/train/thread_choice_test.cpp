#include "train/thread_choice.h"

#include <gtest/gtest.h>

namespace ordered_gnn::training {
namespace {

core::CpuTopology cores_of(int cores, int threads_each, double quota = 0) {
  core::CpuTopology machine;
  for (int core = 0; core < cores; ++core) {
    machine.cores.emplace_back();
    for (int i = 0; i < threads_each; ++i) {
      machine.cores.back().push_back(core + i * cores);
    }
  }
  machine.quota = quota;
  return machine;
}

const PassWork kTexas{183, 492, 256}, kCora{2708, 13264, 256},
    kPubmed{19717, 108365, 256};

TEST(ThreadChoice, ALargeGraphGetsAllPhysicalCores) {
  const ThreadChoice choice = choose_threads({}, kPubmed, cores_of(8, 2));
  EXPECT_EQ(choice.threads, 8);
  EXPECT_EQ(choice.text,
            "8 threads, one for each of 8 cores of 2 hardware threads");
  EXPECT_EQ(choose_threads({}, kPubmed, cores_of(1, 1)).text,
            "1 thread, one for each of 1 core");
}

TEST(ThreadChoice, ASmallGraphGetsWhatItHasWorkFor) {
  const ThreadChoice tiny = choose_threads({}, kTexas, cores_of(16, 1));
  EXPECT_EQ(tiny.threads, 1);
  EXPECT_EQ(tiny.text,
            "1 thread, more would find no work (183 nodes, 492 edges, width "
            "256; 16 cores)");
  EXPECT_EQ(choose_threads({}, kCora, cores_of(64, 2)).threads, 12);
  EXPECT_EQ(choose_threads({}, kCora, cores_of(8, 2)).threads, 8);
}

TEST(ThreadChoice, AQuotaOfTheControlGroupCounts) {
  const ThreadChoice choice = choose_threads({}, kPubmed, cores_of(16, 2, 2));
  EXPECT_EQ(choice.threads, 2);
  EXPECT_EQ(choice.text,
            "2 threads, as many as are granted (16 cores of 2 hardware "
            "threads, 2 of them granted)");
}

TEST(ThreadChoice, ANumberThatIsAskedForIsTaken) {
  ExecutionOptions options;
  options.threads = 32;
  const ThreadChoice choice = choose_threads(options, kTexas, cores_of(2, 1));
  EXPECT_EQ(choice.threads, 32);
  EXPECT_EQ(choice.text, "32 threads");
}

TEST(ThreadChoice, UsefulThreadsFollowFromRowsEdgesAndWidth) {
  EXPECT_EQ(useful_threads({}), 1);
  EXPECT_EQ(useful_threads({256 * 10, 0, 256}), 10);
  EXPECT_EQ(useful_threads({0, 32 * 256 * 10, 256}), 10);
  EXPECT_EQ(useful_threads({256 * 10, 0, 128}), 5);
  EXPECT_EQ(useful_threads({int64_t{1} << 40, 0, 256}), 4096);
}

}  // namespace
}  // namespace ordered_gnn::training
