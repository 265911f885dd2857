#include "scale/ranks/launch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

#include "support/errors.h"

namespace ordered_gnn::scale {
namespace {

// Sets variables of the environment, and takes all of these back in the end.
class Variables {
 public:
  explicit Variables(
      const std::vector<std::pair<std::string, std::string>>& set) {
    for (const char* name : kNames) ::unsetenv(name);
    for (const auto& [name, value] : set) {
      ::setenv(name.c_str(), value.c_str(), 1);
    }
  }
  ~Variables() {
    for (const char* name : kNames) ::unsetenv(name);
  }

 private:
  static constexpr const char* kNames[] = {"RANK",
                                           "WORLD_SIZE",
                                           "MASTER_ADDR",
                                           "MASTER_PORT",
                                           "SLURM_PROCID",
                                           "SLURM_NTASKS",
                                           "PMI_RANK",
                                           "PMI_SIZE",
                                           "LOCAL_WORLD_SIZE",
                                           "LOCAL_RANK",
                                           "SLURM_NTASKS_PER_NODE",
                                           "OMPI_COMM_WORLD_RANK",
                                           "OMPI_COMM_WORLD_SIZE",
                                           "OMPI_COMM_WORLD_LOCAL_SIZE",
                                           "TORCHELASTIC_USE_AGENT_STORE"};
};

TEST(LaunchedRank, ReadsWhatLaunchersSay) {
  {
    const Variables none({});
    EXPECT_FALSE(launched_rank().has_value());
  }
  {
    const Variables torchrun({{"RANK", "2"},
                              {"WORLD_SIZE", "4"},
                              {"MASTER_ADDR", "host0"},
                              {"MASTER_PORT", "1234"},
                              {"LOCAL_WORLD_SIZE", "2"},
                              {"LOCAL_RANK", "1"}});
    const auto rank = launched_rank();
    ASSERT_TRUE(rank.has_value());
    EXPECT_EQ(rank->rank, 2);
    EXPECT_EQ(rank->size, 4);
    EXPECT_EQ(rank->on_machine, 2);
    EXPECT_EQ(rank->index_here, 1);
    EXPECT_EQ(rank->place.address, "host0");
    EXPECT_EQ(rank->place.port, 1234);
  }
  {
    const Variables mpirun({{"OMPI_COMM_WORLD_RANK", "1"},
                            {"OMPI_COMM_WORLD_SIZE", "2"},
                            {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}});
    const auto rank = launched_rank();
    ASSERT_TRUE(rank.has_value());
    EXPECT_EQ(rank->rank, 1);
    EXPECT_EQ(rank->place.address, "127.0.0.1");
    EXPECT_EQ(rank->place.port, kDefaultPort);
  }
  {
    const Variables srun({{"SLURM_PROCID", "3"},
                          {"SLURM_NTASKS", "8"},
                          {"MASTER_ADDR", "node-a"}});
    EXPECT_EQ(launched_rank()->rank, 3);
  }
  {
    const Variables alone({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
    EXPECT_FALSE(launched_rank().has_value());
  }
}

TEST(LaunchedRank, LeavesTorchrunItsOwnPort) {
  const Variables agent({{"RANK", "0"},
                         {"WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "127.0.0.1"},
                         {"MASTER_PORT", "1234"},
                         {"TORCHELASTIC_USE_AGENT_STORE", "True"}});
  EXPECT_EQ(launched_rank()->place.port, 1235);
}

TEST(LaunchedRank, RefusesWhatCannotBe) {
  {
    const Variables far({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}});
    EXPECT_TRUE(contains(error_of([] { launched_rank(); }), "MASTER_ADDR"));
  }
  {
    const Variables large({{"RANK", "4"}, {"WORLD_SIZE", "4"}});
    EXPECT_TRUE(contains(error_of([] { launched_rank(); }),
                         "$RANK is '4', expected a number from 0 to 3"));
  }
  {
    const Variables word({{"RANK", "one"}, {"WORLD_SIZE", "4"}});
    EXPECT_TRUE(contains(error_of([] { launched_rank(); }), "$RANK is 'one'"));
  }
  {
    const Variables port({{"RANK", "0"},
                          {"WORLD_SIZE", "2"},
                          {"MASTER_ADDR", "h"},
                          {"MASTER_PORT", "99999"}});
    EXPECT_TRUE(contains(error_of([] { launched_rank(); }), "MASTER_PORT"));
  }
}

pid_t sleeping_rank = 0;

// Makes a process that sleeps, and then no other.
pid_t fork_once() {
  if (sleeping_rank > 0) {
    errno = EAGAIN;
    return -1;
  }
  sleeping_rank = ::fork();
  if (sleeping_rank == 0) {
    ::alarm(60);
    while (true) ::pause();
  }
  return sleeping_rank;
}

TEST(SpawnedRanks, EndWhenOneOfThemCannotBeStarted) {
  sleeping_rank = 0;
  const std::string error =
      error_of([] { SpawnedRanks({"ognn"}, 3, MeetingPlace{}, &fork_once); });
  EXPECT_TRUE(contains(error, "cannot start rank 2"));
  ASSERT_GT(sleeping_rank, 0);
  // It has ended and was waited for.
  const pid_t found = ::waitpid(sleeping_rank, nullptr, WNOHANG);
  EXPECT_EQ(found, -1);
  if (found == 0) {
    ::kill(sleeping_rank, SIGKILL);
    ::waitpid(sleeping_rank, nullptr, 0);
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
