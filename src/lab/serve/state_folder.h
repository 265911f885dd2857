#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/io/file_lock.h"
#include "lab/serve/change_log.h"
#include "ordered_gnn/data/dataset.h"

namespace ordered_gnn::lab {

/// Where a server keeps what has become of its graph:
///
///   changes-000000000042.log  the changes after the 42nd
///   graph-000000000042.npz    the graph after the first 42; none for 0
///   lock                      held by the server that uses the folder
///
/// Of several logs the last counts: it appears when its graph is complete, and
/// what came before is then deleted.
class StateFolder {
 public:
  /// Makes the folder where it is not there, and locks it.
  /// @throws Error when another server holds it or its log is damaged.
  explicit StateFolder(std::filesystem::path folder);

  /// The graph to start from; empty: the one that all began with.
  std::filesystem::path base() const;
  int64_t base_sequence() const { return content_.header.base_sequence; }
  /// Changes since then, in order. Gone after start().
  const std::vector<LogRecord>& records() const { return content_.records; }
  int64_t cut_bytes() const { return content_.cut_bytes; }
  /// What the graph began as, as start() was told; null for a new folder.
  const Json& origin() const { return content_.header.origin; }

  /// To be called once, before the first append().
  /// @param identity  of the graph that base() gave.
  /// @param origin    kept in a new folder: how the file of the graph is known.
  /// @throws Error when the log is one of another graph.
  void start(const std::string& identity, const Json& origin);
  /// @throws Error that says so.
  [[noreturn]] void fail_replaced() const;

  int64_t log_bytes() const { return log_->bytes(); }
  /// See ChangeLog::append().
  void append(std::string_view records) { log_->append(records); }

  /// Writes the graph after a change, on any thread while others append.
  /// @throws Error, and leaves nothing.
  void write_graph(const RawDataset& raw, int64_t sequence) const;
  /// Goes on with a new log behind a graph that was written. What it makes
  /// superfluous goes with remove_others().
  /// @param position  log_bytes() when the graph had its last change.
  /// @throws Error: the old log goes on.
  void start_log(const std::string& identity, int64_t sequence,
                 int64_t position);
  /// Deletes what a later log has made superfluous, or a kill has left; on any
  /// thread while others append.
  void remove_others() const;

 private:
  std::filesystem::path log_file(int64_t sequence) const;
  std::filesystem::path graph_file(int64_t sequence) const;
  void lock();
  void read_last_log();

  std::filesystem::path folder_;
  core::LockedFile lock_;
  bool has_log_ = false;
  LogContent content_;
  std::unique_ptr<ChangeLog> log_;
};

/// What a graph is known by: its content, and the names of its nodes and
/// classes.
std::string graph_identity(const RawDataset& raw);

}  // namespace ordered_gnn::lab
