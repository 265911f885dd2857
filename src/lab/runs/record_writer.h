#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "lab/runs/run_log.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {

/// Appends records to a log on a thread of its own, so that runs need not wait
/// for the disk. Records that come while it writes go to the disk together.
class RecordWriter : NonCopyable {
 public:
  /// @param told  called for every record that is on the disk, one at a time.
  RecordWriter(RunLog& log, std::function<void(const LoggedRun&)> told);
  /// Writes what is left.
  ~RecordWriter();

  /// @throws what appending or telling of an earlier record threw, after which
  ///         nothing more is written.
  void put(LoggedRun record);

  /// Waits until all is written.
  /// @throws as put().
  void finish();

 private:
  void work();
  void write(const std::vector<LoggedRun>& records);

  RunLog& log_;
  const std::function<void(const LoggedRun&)> told_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<LoggedRun> waiting_;
  bool ending_ = false;
  std::exception_ptr failure_;
  std::thread thread_;
};

}  // namespace ordered_gnn::lab
