#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "lab/serve/change_json.h"
#include "lab/serve/served_version.h"
#include "lab/serve/state_folder.h"
#include "ordered_gnn/core/non_copyable.h"
#include "train/thread_choice.h"

namespace ordered_gnn::lab {

/// The service cannot do it now; the status is that of HTTP.
class ServiceError : public Error {
 public:
  ServiceError(int status, const std::string& message)
      : Error(message), status_(status) {}
  int status() const { return status_; }

 private:
  int status_;
};

struct ServiceSettings {
  std::filesystem::path checkpoint, data, state;
  data::ChangeLimits limits;
  int64_t max_pending = 256;  ///< changes that wait to be written
  int64_t compact_bytes = int64_t{64} << 20;  ///< of the log; 0: never
  ExecutionOptions execution;
  std::function<void(const std::string&)> say;  ///< what an operator is told
  /// Called before the first pass, before that of another model and when the
  /// graph is twice as large as at the last call, never two at a time: for who
  /// chooses threads by what there is to do. May be empty.
  std::function<void(const training::PassWork&)> before_pass;
};

/// Figures of a running service.
struct ServiceStatus {
  int64_t sequence = 0;  ///< of the last change that was acknowledged
  int64_t visible = 0;   ///< of the version that answers
  int64_t pending = 0;   ///< changes that wait to be written
  int64_t log_bytes = 0;
  int64_t updates = 0;        ///< versions that were computed
  int64_t rows_computed = 0;  ///< in all layers of these
  int64_t nodes_changed = 0;
  int64_t whole_layers = 0;
  double update_seconds = 0;
  int64_t compactions = 0;
  int64_t rows_given_up = 0;  ///< that removed nodes had left
  double flush_seconds = 0;   ///< of the log, all together
  double longest_flush = 0;
  double longest_change = 0;  ///< from its arrival to its acknowledgement
  int64_t model_loads = 0;
  std::string problem;  ///< why the last work in the background failed
};

/// A model on a graph that changes. Changes are written to the log before they
/// are acknowledged; what they reach is computed afterwards on a thread of its
/// own, several of them together, and then answers all later requests. All
/// functions may be called from any thread.
class Service : NonCopyable {
 public:
  /// Loads model and graph, carries out the changes of the log and computes all
  /// states.
  /// @throws Error when something cannot be read or does not fit.
  explicit Service(ServiceSettings settings);
  /// Lets what was begun end: changes that wait are written.
  ~Service();

  std::shared_ptr<const ServedVersion> version() const;
  ServiceStatus status() const;
  /// The graph after all changes that were acknowledged.
  data::LiveGraph head() const;
  const ServiceSettings& settings() const { return settings_; }

  struct Accepted {
    int64_t sequence = 0;
    data::GraphChange change;  ///< with all names
  };
  /// Returns when the change is on the disk.
  /// @throws data::FieldError when it does not fit the graph; ServiceError when
  ///         too many wait, or the disk refuses it.
  Accepted change(data::GraphChange change);

  /// Waits until a version answers that has had this change.
  /// @return false when the time was over first.
  bool wait_for(int64_t sequence, std::chrono::milliseconds most) const;

  /// Loads the checkpoint's file again and serves it once its states are
  /// computed; until then the model before answers.
  /// @throws Error when it cannot be read or does not fit the graph.
  void reload();

  /// What explains the version that answers now; made once for each.
  /// @throws Error.
  std::shared_ptr<const ExplainedVersion> explained();

 private:
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  struct Waiting {
    data::GraphChange change;
    Clock::time_point arrived;
    std::promise<Accepted> accepted;
  };
  struct Compaction {
    int64_t sequence = 0;
    int64_t position = 0;  ///< of the log
    std::string identity;
    std::string problem;
  };

  void load();
  void tell_work(const data::LiveGraph& graph, const ServedModel& model);
  void require_origin(const ServedModel& model) const;
  void replay(data::LiveGraph& graph) const;
  void check_change(const data::GraphChange& change) const;
  void publish(std::shared_ptr<const ServedVersion> version);

  void run_writer();
  void write_changes(std::deque<Waiting> batch);
  void start_compaction();
  void run_compaction(const data::LiveGraph& graph, Compaction work);
  void finish_compaction();

  void run_updates();
  // True when whole layers were computed, which takes much memory.
  bool update(const data::LiveGraph& graph, int64_t sequence,
              const data::ChangeEffect& effect);
  // Gives up rows that removed nodes have left, where there are many.
  void give_up_rows();
  void set_problem(const std::string& problem);

  const ServiceSettings settings_;
  std::unique_ptr<StateFolder> folder_;

  std::mutex heading_;        // held by who makes the next head; before mutex_
  mutable std::mutex mutex_;  // of all that follows
  mutable std::condition_variable changed_;
  std::shared_ptr<const ServedVersion> version_;
  data::LiveGraph head_;  // after all changes that were acknowledged
  int64_t head_sequence_ = 0;
  data::ChangeEffect effect_;  // of those that no version has had
  std::deque<Waiting> waiting_;
  bool is_stopping_ = false;
  ServiceStatus status_;
  std::shared_ptr<const ServedModel> next_model_;
  std::unique_ptr<Compaction> compacted_;
  bool is_compacting_ = false;
  bool is_log_settled_ = false;  // after a compaction: which log goes on
  int64_t compact_from_ = 0;     // bytes of the log

  int64_t told_nodes_ = 0;  // when before_pass was called last

  std::mutex explaining_;
  std::shared_ptr<const ExplainedVersion> explained_;
  std::mutex reloading_;
  std::thread writer_, updates_, compactor_;
};

}  // namespace ordered_gnn::lab
