#pragma once
#include <sys/types.h>

#include <string>
#include <vector>

#include "support/temp_dir.h"

namespace ordered_gnn {

/// What a call of the program printed and how it ended.
struct Outcome {
  int status = -1;
  std::string out;
  std::string err;
};

/// Runs `ognn` with these arguments and waits for it.
Outcome run_ognn(const std::vector<std::string>& arguments);

/// The same with LibTorch loaded anew, as it is for a user: for what the loader
/// and the libraries read, such as limits and some variables of the
/// environment.
Outcome run_ognn_anew(const std::vector<std::string>& arguments);

/// The same, bound by file permissions even when the test runs as root. The
/// status is kCannotObey where the system does not let root give that up.
Outcome run_ognn_obeying_permissions(const std::vector<std::string>& arguments);
inline constexpr int kCannotObey = 126;

/// Starts `ognn` in the background, its output discarded.
pid_t start_ognn(const std::vector<std::string>& arguments);

/// `ognn` in the background, to be sent signals.
class StartedOgnn {
 public:
  explicit StartedOgnn(const std::vector<std::string>& arguments);
  ~StartedOgnn();
  StartedOgnn(const StartedOgnn&) = delete;
  StartedOgnn& operator=(const StartedOgnn&) = delete;

  bool ended();
  void send(int signal) const;
  /// What it printed and how it ended, minus the signal when one ended it.
  Outcome wait();

 private:
  TempDir dir_;
  pid_t child_;
  int status_ = 0;
  bool ended_ = false;
};

/// Writes a generated graph of 90 labelled nodes without splits.
void generate_without_splits(const std::string& file);

/// Arguments of a training run of a fraction of a second.
std::vector<std::string> tiny_train(std::vector<std::string> more = {});

}  // namespace ordered_gnn
