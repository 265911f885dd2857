#include "shared/interruption.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <exception>
#include <iostream>
#include <utility>

#include "shared/speech.h"
#include "shared/terminal.h"

namespace ordered_gnn::cli {
namespace {

std::atomic<int> signal_pipe{-1};

// All that a handler may do safely: the thread at the other end speaks.
void pass_on(int number) {
  const int before = errno;
  const auto byte = static_cast<unsigned char>(number);
  if (::write(signal_pipe, &byte, 1) != 1) ::_exit(128 + number);
  errno = before;
}

void handle(int number, struct sigaction& before) {
  ::sigaction(number, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  struct sigaction action {};
  action.sa_handler = pass_on;
  action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
  ::sigemptyset(&action.sa_mask);
  ::sigaction(number, &action, nullptr);
}

// What is left to be said when runs have been stopped, and done.
struct Ending {
  int signal = SIGTERM;
  std::string text = "stopped";
};
Ending pending_ending;

[[noreturn]] void end_by(int signal, const std::string& text) {
  say_as_ognn(Ink::warning, text);
  std::signal(signal, SIG_DFL);
  ::kill(::getpid(), signal);
  ::_exit(128 + signal);
}

void let_end_at_once(int number, const struct sigaction& before) {
  if (before.sa_handler != SIG_IGN) std::signal(number, SIG_DFL);
}

}  // namespace

Interruption::Interruption(std::function<std::string(bool saved)> farewell)
    : farewell_(std::move(farewell)) {
  // Without a pipe signals do what they always do.
  if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
  signal_pipe = pipe_[1];
  handle(SIGINT, interrupt_before_);
  handle(SIGTERM, terminate_before_);
  // Last, for it changes what is set here. The pipe keeps what comes before.
  thread_ = std::thread([this] { wait_and_speak(); });
}

Interruption::~Interruption() {
  if (!thread_.joinable()) return;
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  signal_pipe = -1;
  ::close(pipe_[1]);
  thread_.join();
  ::close(pipe_[0]);
  if (signal_ == 0) return;
  pending_ending = {signal_, farewell(/*saved=*/true)};
  // An error on its way is told instead; a run that stopped says so itself.
  if (std::uncaught_exceptions() == 0) end_interrupted();
}

void Interruption::wait_and_speak() {
  unsigned char number = 0;
  ssize_t got = 0;
  do {
    got = ::read(pipe_[0], &number, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) return;
  let_end_at_once(SIGINT, interrupt_before_);
  let_end_at_once(SIGTERM, terminate_before_);
  signal_ = number;
  stop_.make();
  // Below the line that is being redrawn.
  if (is_terminal(Stream::err)) draw("\n");
  // A run that begins after this hears of the wish before its first epoch.
  if (stop_.num_savers() == 0) end_by(signal_, farewell(/*saved=*/false));
  say_as_ognn(Ink::warning,
              "stopping when the epoch under way has ended, to save the "
              "training; once more stops at once");
}

std::string Interruption::farewell(bool saved) const {
  try {
    return farewell_(saved);
  } catch (const std::exception& error) {
    return fmt::format("stopped; what is kept cannot be told: {}",
                       error.what());
  }
}

void end_interrupted() {
  std::cout.flush();
  end_by(pending_ending.signal, pending_ending.text);
}

}  // namespace ordered_gnn::cli
