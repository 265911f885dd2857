#include "shared/interruption.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>

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

}  // namespace

Interruption::Interruption(std::function<std::string()> farewell)
    : farewell_(std::move(farewell)) {
  // Without a pipe signals do what they always do.
  if (::pipe2(pipe_, O_CLOEXEC) != 0) return;
  thread_ = std::thread([this] { wait_and_speak(); });
  signal_pipe = pipe_[1];
  handle(SIGINT, interrupt_before_);
  handle(SIGTERM, terminate_before_);
}

Interruption::~Interruption() {
  if (!thread_.joinable()) return;
  ::sigaction(SIGINT, &interrupt_before_, nullptr);
  ::sigaction(SIGTERM, &terminate_before_, nullptr);
  signal_pipe = -1;
  ::close(pipe_[1]);
  thread_.join();
  ::close(pipe_[0]);
}

void Interruption::wait_and_speak() const {
  unsigned char number = 0;
  ssize_t got = 0;
  do {
    got = ::read(pipe_[0], &number, 1);
  } while (got < 0 && errno == EINTR);
  if (got != 1) return;
  const std::string who =
      inked(Ink::warning, "ognn:", wants_colours(Stream::err));
  // Below the line that is being redrawn.
  const char* const begin = is_terminal(Stream::err) ? "\n" : "";
  fmt::print(stderr, "{}{} {}\n", begin, who, farewell_());
  std::fflush(stderr);
  std::signal(number, SIG_DFL);
  ::kill(::getpid(), number);
}

}  // namespace ordered_gnn::cli
