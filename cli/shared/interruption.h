#pragma once
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace ordered_gnn::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM first say what is kept and how
/// to go on, then end the process as they always do. A second one ends it at
/// once. Signals that the process was started to ignore stay ignored. At most
/// one object at a time.
class Interruption {
 public:
  /// @param farewell  what to print on standard error; called on a thread of
  ///                  its own while the others still work.
  explicit Interruption(std::function<std::string()> farewell);
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

 private:
  void wait_and_speak() const;

  std::function<std::string()> farewell_;
  int pipe_[2] = {-1, -1};  ///< from the signal handler to the thread
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  std::thread thread_;
};

}  // namespace ordered_gnn::cli
