#pragma once
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/io/file_lock.h"
#include "ordered_gnn/train/train.h"

namespace ordered_gnn::lab {

/// One run that has ended.
struct LoggedRun {
  std::string key;     ///< run_key() of what was run
  RunOptions options;  ///< `splits` is the split as text
  int64_t split = 0;
  std::optional<RunResult> result;  ///< empty: failed
  std::string error;                ///< why it failed
  double seconds = 0;               ///< wall time, loading excluded
  std::string fingerprint;          ///< of the data
  std::string command;
  std::string version;
  std::string commit;
  std::string finished;  ///< UTC, ISO 8601
};

/// A row of results from a run that ended well: all but its scores.
template <typename Row>
Row row_of_run(const LoggedRun& record) {
  Row row;
  row.split = record.split;
  row.seed = record.result->seed;
  row.epochs = record.result->epochs;
  row.best_epoch = record.result->best_epoch;
  row.seconds = record.seconds;
  return row;
}

/// What a run is: SHA-256 (hexadecimal) of run_identity() and the split. Two
/// runs with the same key give the same result.
std::string run_key(const RunOptions& options, int64_t split,
                    const std::string& fingerprint);

/// Keys: key split status ("done" or "failed") result or error, seconds config
/// fingerprint command version commit finished.
Json to_json(const LoggedRun& run);

/// The key is that of the options as they are read: options that came after the
/// record was written have their defaults.
/// @throws Error or Json::exception when something is missing or does not fit.
LoggedRun logged_run_from_json(const Json& json);

/// Now, as LoggedRun::finished has it: "2024-05-31T09:30:00Z".
std::string utc_now();

/// Records by key. Of several with one key the last counts, but one that is
/// done never gives way to one that failed.
class RunTable {
 public:
  void keep(LoggedRun run);
  /// Null when there is none; valid until that key is kept again.
  const LoggedRun* find(const std::string& key) const;
  /// In the order in which keys first came.
  std::vector<LoggedRun> runs() const { return {runs_.begin(), runs_.end()}; }

 private:
  std::deque<LoggedRun> runs_;
  std::unordered_map<std::string, size_t> places_;  ///< in runs_, by key
};

/// Results of many runs in FOLDER/runs.jsonl, one JSON object a line, appended
/// and never rewritten. Locked while the object lives.
///
/// A line that is no complete record (cut, damaged, edited) is not used and not
/// counted; broken() tells of it. A file that does not end in a newline, left
/// by a process that was killed while it wrote, gets one before the next
/// record.
class RunLog {
 public:
  /// Creates the folder where needed and reads what is there.
  /// @throws Error when another process has the log open, or the file cannot
  ///         be read and written.
  explicit RunLog(std::filesystem::path folder);

  const std::filesystem::path& file() const { return file_; }

  /// "FOLDER/runs.jsonl:17: why" for every line that was left out.
  const std::vector<std::string>& broken() const { return broken_; }

  /// As RunTable::find().
  const LoggedRun* find(const std::string& key) const;

  /// As RunTable::runs().
  std::vector<LoggedRun> runs() const;

  /// Adds a record and waits until it is on the disk. Thread safe.
  /// @throws Error when it cannot be written; a full disk is said so.
  void append(const LoggedRun& run) { append(std::vector<LoggedRun>{run}); }
  /// Several at once, which cost one wait.
  void append(const std::vector<LoggedRun>& runs);

 private:
  std::filesystem::path file_;
  core::LockedFile lock_;
  bool needs_newline_ = false;
  mutable std::mutex mutex_;
  std::vector<std::string> broken_;
  RunTable table_;
};

/// The records of a file by the rules above, without the lock: for reports.
/// @param broken  when not null, gets a line for each that was left out.
/// @throws Error when the file cannot be read.
std::vector<LoggedRun> read_run_log(const std::filesystem::path& file,
                                    std::vector<std::string>* broken = nullptr);

}  // namespace ordered_gnn::lab
