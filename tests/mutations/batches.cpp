#include "mutations/batches.h"

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <map>
#include <string>

#include "core/affixes.h"

namespace ordered_gnn::mutations {
namespace {

constexpr int64_t kBatch = 200;

struct Batch {
  int64_t begin = 0, end = 0;
};

// Memory that children write and the parent reads.
template <typename Value>
Value* shared_values(int64_t count) {
  void* const block =
      ::mmap(nullptr, sizeof(Value) * static_cast<size_t>(count),
             PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (block == MAP_FAILED) std::abort();
  return static_cast<Value*>(block);
}

int64_t address_space() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view rest = line;
    if (core::take_prefix(rest, "VmSize:")) {
      return 1024 * std::stoll(std::string(rest));
    }
  }
  return 0;
}

rlimit limit_of(int64_t most) {
  return {static_cast<rlim_t>(most), static_cast<rlim_t>(most)};
}

class Runner {
 public:
  Runner(int64_t count, const Limits& limits,
         const std::function<Outcome(int64_t, int64_t)>& run)
      : limits_(limits),
        run_(run),
        outcomes_(shared_values<Outcome>(std::max<int64_t>(count, 1))),
        current_(shared_values<int64_t>(limits.jobs)) {
    for (int64_t begin = 0; begin < count; begin += kBatch) {
      waiting_.push_back({begin, std::min(begin + kBatch, count)});
    }
    for (int64_t job = 0; job < limits.jobs; ++job) free_jobs_.push_back(job);
  }

  std::vector<Outcome> run(int64_t count) {
    while (!waiting_.empty() || !children_.empty()) {
      if (!waiting_.empty() && !free_jobs_.empty()) {
        start();
      } else {
        wait();
      }
    }
    return {outcomes_, outcomes_ + count};
  }

 private:
  struct Child {
    Batch batch;
    int64_t job = 0;
  };

  void start() {
    const Child child{waiting_.front(), free_jobs_.back()};
    waiting_.pop_front();
    free_jobs_.pop_back();
    std::fflush(nullptr);
    const pid_t process = ::fork();
    if (process < 0) std::abort();
    if (process == 0) work(child);
    children_[process] = child;
  }

  [[noreturn]] void work(const Child& child) {
    const rlimit no_dump = limit_of(0);
    const rlimit memory = limit_of(address_space() + limits_.bytes);
    ::setrlimit(RLIMIT_CORE, &no_dump);
    ::setrlimit(RLIMIT_AS, &memory);
    for (int64_t i = child.batch.begin; i < child.batch.end; ++i) {
      current_[child.job] = i;
      ::alarm(limits_.seconds);
      outcomes_[i] = run_(i, child.job);
    }
    std::fflush(nullptr);
    ::_exit(EXIT_SUCCESS);
  }

  void wait() {
    int status = 0;
    const auto ended = children_.find(::wait(&status));
    if (ended == children_.end()) return;
    const Child child = ended->second;
    children_.erase(ended);
    free_jobs_.push_back(child.job);
    if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_SUCCESS) return;
    const int64_t last = current_[child.job];
    const bool is_late = WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM;
    outcomes_[last] = is_late ? Outcome::hang : Outcome::crash;
    if (last + 1 < child.batch.end) {
      waiting_.push_front({last + 1, child.batch.end});
    }
  }

  const Limits limits_;
  const std::function<Outcome(int64_t, int64_t)>& run_;
  Outcome* const outcomes_;
  int64_t* const current_;  // case of every job
  std::deque<Batch> waiting_;
  std::vector<int64_t> free_jobs_;
  std::map<pid_t, Child> children_;
};

}  // namespace

std::vector<Outcome> run_cases(
    int64_t count, const Limits& limits,
    const std::function<Outcome(int64_t, int64_t)>& run) {
  return Runner(count, limits, run).run(count);
}

}  // namespace ordered_gnn::mutations
