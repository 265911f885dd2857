#pragma once
#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

#include "lab/runs/stop_request.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM first say what is kept and how
/// to go on, then end the process as they always do. Where runs are under way
/// that save their state, they are asked to stop first, and throw Interrupted
/// when they have: see end_interrupted(). A second signal, of either kind, ends
/// the process at once. Signals that it was started to ignore stay ignored. At
/// most one object at a time.
class Interruption : NonCopyable {
 public:
  /// @param farewell  what to print on standard error, told whether runs have
  ///                  saved their state for it; called on a thread of its own
  ///                  while the others still work when they have not.
  explicit Interruption(std::function<std::string(bool saved)> farewell);
  /// Ends the process when a signal came and the work was done all the same.
  ~Interruption();

  /// For the runs that are to be stopped.
  lab::StopRequest* stop() { return &stop_; }

 private:
  void wait_and_speak();
  std::string farewell(bool saved) const;

  std::function<std::string(bool saved)> farewell_;
  lab::StopRequest stop_;
  int pipe_[2] = {-1, -1};  ///< from the signal handler to the thread
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  std::atomic<int> signal_{0};  ///< that came; 0: none
  std::thread thread_;
};

/// For whoever catches Interrupted: says the farewell of the object that is
/// gone and ends the process by its signal.
[[noreturn]] void end_interrupted();

}  // namespace ordered_gnn::cli
