#include "core/cpu_topology.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "ordered_gnn/core/parallel.h"
#include "support/temp_dir.h"

namespace ordered_gnn::core {
namespace {

using Cores = std::vector<std::vector<int>>;

void write(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void describe(const TempDir& folder, int cpu, int package, int core) {
  const auto place = folder / ("cpu" + std::to_string(cpu)) / "topology";
  write(place / "physical_package_id", std::to_string(package) + "\n");
  write(place / "core_id", std::to_string(core) + "\n");
}

TEST(CpuTopology, HardwareThreadsOfOneCoreAreTogether) {
  const TempDir folder;
  // Two packages of two cores; the second threads have the higher numbers.
  for (int cpu = 0; cpu < 8; ++cpu) {
    describe(folder, cpu, cpu % 4 / 2, cpu % 2);
  }
  const CpuTopology all =
      read_topology({0, 1, 2, 3, 4, 5, 6, 7}, folder.path());
  EXPECT_EQ(all.cores, (Cores{{0, 4}, {1, 5}, {2, 6}, {3, 7}}));
  EXPECT_EQ(all.num_cores(), 4);
  EXPECT_EQ(all.num_hardware_threads(), 8);
  EXPECT_EQ(all.text(), "4 cores of 2 hardware threads");
  // What the process may not use is not there.
  const CpuTopology some = read_topology({1, 4, 5}, folder.path());
  EXPECT_EQ(some.cores, (Cores{{1, 5}, {4}}));
  EXPECT_EQ(some.text(), "2 cores with 3 hardware threads");
}

// Systems number the cores of a die, or of a cluster, from 0 on.
TEST(CpuTopology, CoresOfTwoDiesOrClustersAreNotOne) {
  for (const char* const group : {"die_id", "cluster_id"}) {
    const TempDir folder;
    for (int cpu = 0; cpu < 4; ++cpu) {
      describe(folder, cpu, 0, cpu % 2);
      write(folder / ("cpu" + std::to_string(cpu)) / "topology" / group,
            std::to_string(cpu / 2) + "\n");
    }
    EXPECT_EQ(read_topology({0, 1, 2, 3}, folder.path()).cores,
              (Cores{{0}, {1}, {2}, {3}}))
        << group;
  }
}

TEST(CpuTopology, WithoutADescriptionEveryHardwareThreadIsACore) {
  const TempDir folder;
  const CpuTopology unknown = read_topology({2, 3}, folder.path());
  EXPECT_EQ(unknown.cores, (Cores{{2}, {3}}));
  EXPECT_EQ(unknown.text(), "2 cores");
  EXPECT_EQ(read_topology({}, folder.path()).num_cores(), 1);
}

TEST(CpuTopology, AQuotaLimitsThreads) {
  CpuTopology machine{{{0}, {1}, {2}, {3}}, 0};
  EXPECT_EQ(machine.within_quota(4), 4);
  machine.quota = 2.5;
  EXPECT_EQ(machine.within_quota(4), 3);
  EXPECT_EQ(machine.within_quota(1), 1);
  EXPECT_EQ(machine.text(), "4 cores, 2.5 of them granted");
  machine.quota = 0.1;
  EXPECT_EQ(machine.within_quota(4), 1);
}

TEST(CpuTopology, ReadsTheLeastQuotaOfAGroupAndThoseAroundIt) {
  const TempDir folder;
  const auto groups = folder / "groups", self = folder / "self";
  write(self, "0::/a/b\n");
  EXPECT_EQ(read_quota(groups, self), 0);
  write(groups / "a/b/cpu.max", "max 100000\n");
  EXPECT_EQ(read_quota(groups, self), 0);
  write(groups / "a/cpu.max", "150000 100000\n");
  write(groups / "cpu.max", "800000 100000\n");
  EXPECT_DOUBLE_EQ(read_quota(groups, self), 1.5);
  // What is no amount of time says nothing.
  for (const char* const odd : {"nan 100000", "-1 100000", "inf 100000", "x"}) {
    write(groups / "a/b/cpu.max", odd);
    EXPECT_DOUBLE_EQ(read_quota(groups, self), 1.5) << odd;
  }
  EXPECT_EQ(read_quota(groups, folder / "nobody"), 0);
}

TEST(CpuTopology, ReadsTheQuotaOfAHierarchyOfItsOwn) {
  const TempDir folder;
  const auto groups = folder / "groups", self = folder / "self";
  write(self, "5:memory:/m\n4:cpu,cpuacct:/g\n");
  write(groups / "cpu/g/cpu.cfs_quota_us", "-1\n");
  write(groups / "cpu/g/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(read_quota(groups, self), 0);
  write(groups / "cpu/g/cpu.cfs_quota_us", "300000\n");
  EXPECT_DOUBLE_EQ(read_quota(groups, self), 3);
}

TEST(CpuTopology, OfThisProcessHasWhatItMayRunOn) {
  EXPECT_EQ(topology().num_hardware_threads(), available_cores());
  EXPECT_GE(default_threads(), 1);
  EXPECT_LE(default_threads(), available_cores());
}

}  // namespace
}  // namespace ordered_gnn::core
