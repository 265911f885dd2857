#include "scale/ranks/launch.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

struct RankVariables {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* local_size;  ///< ranks on this machine
  const char* local_rank;  ///< the rank's number among these
};

const RankVariables kVariables[] = {
    {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "LOCAL_RANK"},
    {"mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
     "OMPI_COMM_WORLD_LOCAL_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"mpirun", "PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
    {"srun", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE",
     "SLURM_LOCALID"},
};

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int64_t number_of(const char* name, int64_t least, int64_t most) {
  const std::string text = variable(name);
  int64_t number = -1;
  try {
    number = core::parse_integer(text, name, SourceLine{name, 1});
  } catch (const Error&) {
    number = least - 1;
  }
  if (number < least || number > most) {
    throw UsageError(fmt::format("${} is '{}', expected a number from {} to {}",
                                 name, text, least, most));
  }
  return number;
}

// 1 where the launcher does not tell.
int64_t ranks_here(const RankVariables& names, int64_t size) {
  const std::string text = variable(names.local_size);
  const bool is_number = !text.empty() &&
                         text.find_first_not_of("0123456789") == text.npos &&
                         text.size() < 7;
  return is_number ? std::clamp<int64_t>(std::stoll(text), 1, size) : 1;
}

MeetingPlace place_of(const RankVariables& names, int64_t size) {
  MeetingPlace place;
  place.port = variable("MASTER_PORT").empty()
                   ? kDefaultPort
                   : static_cast<int>(number_of("MASTER_PORT", 1, 65535));
  // torchrun has a server of its own there while it runs.
  if (variable("TORCHELASTIC_USE_AGENT_STORE") == "True") ++place.port;
  place.address = variable("MASTER_ADDR");
  if (!place.address.empty()) return place;
  const std::string here = variable(names.local_size);
  if (here != std::to_string(size)) {
    throw UsageError(fmt::format(
        "{} has started {} ranks, and nothing says where rank 0 is; set "
        "MASTER_ADDR to its host for all of them, and MASTER_PORT where {} is "
        "in use",
        names.launcher, size, kDefaultPort));
  }
  place.address = "127.0.0.1";
  return place;
}

std::string ending_of(int status) {
  if (WIFSIGNALED(status)) {
    return fmt::format("was ended by signal {}", WTERMSIG(status));
  }
  return fmt::format("ended with status {}", WEXITSTATUS(status));
}

// In the new process: nothing but calls that a forked process may make.
// Ctrl-C goes to all processes of a terminal; rank 0 decides what it means.
[[noreturn]] void become(char* const* words, char* const* environment) {
  ::signal(SIGINT, SIG_IGN);
  ::execve("/proc/self/exe", words, environment);
  ::_exit(127);
}

std::vector<std::string> environment_with(
    const std::vector<std::pair<std::string, std::string>>& set) {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string text = *entry;
    bool is_replaced = false;
    for (const auto& item : set) {
      is_replaced = is_replaced || text.rfind(item.first + "=", 0) == 0;
    }
    if (!is_replaced) all.push_back(text);
  }
  for (const auto& item : set) all.push_back(item.first + "=" + item.second);
  return all;
}

std::vector<char*> pointers_to(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

}  // namespace

std::optional<RankOfRun> launched_rank() {
  for (const RankVariables& names : kVariables) {
    if (variable(names.rank).empty() || variable(names.size).empty()) continue;
    constexpr int64_t kMost = 100000;
    RankOfRun run;
    run.size = number_of(names.size, 1, kMost);
    run.rank = number_of(names.rank, 0, run.size - 1);
    if (run.size == 1) return std::nullopt;
    run.place = place_of(names, run.size);
    run.on_machine = ranks_here(names, run.size);
    run.index_here = variable(names.local_rank).empty()
                         ? run.rank % run.on_machine
                         : number_of(names.local_rank, 0, run.size - 1);
    return run;
  }
  return std::nullopt;
}

// Delegates, so that the destructor ends what was started before a failure.
SpawnedRanks::SpawnedRanks(const std::vector<std::string>& command,
                           int64_t size, const MeetingPlace& place,
                           pid_t (*fork)())
    : SpawnedRanks() {
  processes_.reserve(static_cast<size_t>(std::max<int64_t>(size - 1, 0)));
  for (int64_t r = 1; r < size; ++r) {
    std::vector<std::string> words = command;
    std::vector<std::string> environment =
        environment_with({{"RANK", std::to_string(r)},
                          {"WORLD_SIZE", std::to_string(size)},
                          {"LOCAL_WORLD_SIZE", std::to_string(size)},
                          {"LOCAL_RANK", std::to_string(r)},
                          {"MASTER_ADDR", place.address},
                          {"MASTER_PORT", std::to_string(place.port)}});
    const std::vector<char*> word_pointers = pointers_to(words);
    const std::vector<char*> environment_pointers = pointers_to(environment);
    const pid_t process = fork();
    if (process < 0) {
      fail("cannot start rank {}: {}", r, std::strerror(errno));
    }
    if (process == 0) {
      become(word_pointers.data(), environment_pointers.data());
    }
    processes_.push_back(process);
  }
}

SpawnedRanks::~SpawnedRanks() {
  end_all();
  wait();
}

void SpawnedRanks::end_all() const {
  for (const pid_t process : processes_) {
    if (process > 0) ::kill(process, SIGKILL);
  }
}

void SpawnedRanks::note_end(size_t index, int status) {
  const pid_t process = processes_[index];
  processes_[index] = 0;
  const bool is_well = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  if (is_well || !failure_.empty()) return;
  failure_ = fmt::format("rank {} (process {} on this machine) {}", index + 1,
                         process, ending_of(status));
}

std::string SpawnedRanks::failure() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    int status = 0;
    if (processes_[i] > 0 &&
        ::waitpid(processes_[i], &status, WNOHANG) == processes_[i]) {
      note_end(i, status);
    }
  }
  return failure_;
}

void SpawnedRanks::wait() {
  for (size_t i = 0; i < processes_.size(); ++i) {
    int status = 0;
    if (processes_[i] > 0 &&
        ::waitpid(processes_[i], &status, 0) == processes_[i]) {
      note_end(i, status);
    }
  }
}

}  // namespace ordered_gnn::scale
