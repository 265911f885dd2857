#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::training {

/// The order in which runs beside each other record their work for the device
/// and give recordings up, one at a time:
/// - A run that gives its recording up goes before all that wait to record one,
///   since its result waits for that.
/// - Runs may stand back while others record. Every request for memory of a
///   recording waits for the work of all other runs that is under way, which
///   makes hundreds of waits for a deep model beside one with long epochs.
class RecordingTurns {
 public:
  /// Holds the turn from the moment it is given until the end of its scope.
  class Turn : NonCopyable {
   public:
    ~Turn() { turns_.give_back(); }

   private:
    friend class RecordingTurns;
    explicit Turn(RecordingTurns& turns) : turns_(turns) {}

    RecordingTurns& turns_;
  };

  /// Waits until nobody has the turn and nobody waits to give something up.
  Turn record();

  /// Waits until nobody has the turn.
  Turn give_up();

  /// Returns when nobody records or waits to, or after `most`.
  void stand_back(std::chrono::milliseconds most);

  /// Threads that wait for the turn, for tests to wait for.
  int64_t waiting() const;

 private:
  void give_back();

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool taken_ = false;
  int64_t recording_ = 0;  ///< and waiting to
  int64_t giving_up_ = 0;  ///< waiting to
  bool taken_to_record_ = false;
};

}  // namespace ordered_gnn::training
