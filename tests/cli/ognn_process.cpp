#include "cli/ognn_process.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "main.h"
#include "ordered_gnn/core/parallel.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

enum class Permissions { as_started, obeyed };
enum class Loading { inherited, anew };

// A process that was forked has no other threads, but what waits for them: the
// one that the tests run in never has any.
const bool serial_tests = [] {
  set_num_threads(1);
  return true;
}();

bool is_alone() {
  namespace fs = std::filesystem;
  const fs::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) == 1;
}

// The command in this process, which has LibTorch loaded already: to load it
// takes half a second, more than most of the tests. With OGNN_TEST_EXEC set, or
// where that could hang, it is the binary after all.
[[noreturn]] void become_ognn(std::vector<char*>& argv, Loading loading) {
  if (loading == Loading::inherited && is_alone() &&
      std::getenv("OGNN_TEST_EXEC") == nullptr) {
    set_num_threads(0);
    const int count = static_cast<int>(argv.size()) - 1;
    const int status = cli::run_program(count, argv.data());
    std::cout.flush();
    std::fflush(nullptr);
    ::_exit(status);
  }
  ::execv(OGNN_BINARY, argv.data());
  ::_exit(127);
}

// Capabilities outside the bounding set are not regained by exec.
bool give_up_override() {
  return ::geteuid() != 0 ||
         (::prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0) == 0 &&
          ::prctl(PR_CAPBSET_DROP, CAP_DAC_READ_SEARCH, 0, 0, 0) == 0);
}

pid_t start(const std::vector<std::string>& arguments, const std::string& out,
            const std::string& err, Loading loading = Loading::inherited,
            Permissions permissions = Permissions::as_started) {
  std::vector<char*> argv = {const_cast<char*>(OGNN_BINARY)};
  for (const std::string& word : arguments) {
    argv.push_back(const_cast<char*>(word.c_str()));
  }
  argv.push_back(nullptr);
  // What is not written yet would be written by both.
  std::cout.flush();
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  // Whoever runs the tests in the background has these ignored.
  ::signal(SIGINT, SIG_DFL);
  ::signal(SIGTERM, SIG_DFL);
  constexpr int kFlags = O_WRONLY | O_CREAT | O_TRUNC;
  ::dup2(::open(out.c_str(), kFlags, 0600), STDOUT_FILENO);
  ::dup2(::open(err.c_str(), kFlags, 0600), STDERR_FILENO);
  if (permissions == Permissions::obeyed && !give_up_override()) {
    ::_exit(kCannotObey);
  }
  become_ognn(argv, loading);
}

std::string content(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

Outcome outcome_of(int status, const TempDir& dir) {
  Outcome outcome;
  outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  outcome.out = content(dir / "out");
  outcome.err = content(dir / "err");
  return outcome;
}

Outcome run(const std::vector<std::string>& arguments, Loading loading,
            Permissions permissions = Permissions::as_started) {
  const TempDir dir;
  const pid_t child =
      start(arguments, dir / "out", dir / "err", loading, permissions);
  int status = 0;
  ::waitpid(child, &status, 0);
  return outcome_of(status, dir);
}

}  // namespace

Outcome run_ognn(const std::vector<std::string>& arguments) {
  return run(arguments, Loading::inherited);
}

Outcome run_ognn_anew(const std::vector<std::string>& arguments) {
  return run(arguments, Loading::anew);
}

Outcome run_ognn_obeying_permissions(
    const std::vector<std::string>& arguments) {
  return run(arguments, Loading::anew, Permissions::obeyed);
}

StartedOgnn::StartedOgnn(const std::vector<std::string>& arguments)
    : child_(start(arguments, dir_ / "out", dir_ / "err")) {}

StartedOgnn::~StartedOgnn() {
  if (ended()) return;
  send(SIGKILL);
  wait();
}

bool StartedOgnn::ended() {
  if (!ended_) ended_ = ::waitpid(child_, &status_, WNOHANG) == child_;
  return ended_;
}

void StartedOgnn::send(int signal) const {
  if (!ended_) ::kill(child_, signal);
}

Outcome StartedOgnn::wait() {
  if (!ended_) ::waitpid(child_, &status_, 0);
  ended_ = true;
  return outcome_of(status_, dir_);
}

pid_t start_ognn(const std::vector<std::string>& arguments) {
  return start(arguments, "/dev/null", "/dev/null");
}

void generate_without_splits(const std::string& file) {
  const Outcome outcome = run_ognn(
      {"data", "generate",
       "csbm?nodes=90&classes=3&features=8&degree=4&splits=0", "--out", file});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
}

std::vector<std::string> tiny_train(std::vector<std::string> more) {
  std::vector<std::string> arguments = {
      "train",
      "--data",
      "synthetic:csbm?nodes=60&classes=3&features=8&degree=4&splits=3",
      "--layers",
      "2",
      "--hidden",
      "16",
      "--epochs",
      "4",
      "--quiet"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace ordered_gnn
