#pragma once
#include <atomic>
#include <cstdint>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {

/// A wish to stop, made on any thread and honoured by runs at the end of the
/// epoch under way: TrainHooks::should_stop for many runs at once.
class StopRequest {
 public:
  void make() { made_ = true; }
  bool made() const { return made_; }

  /// Runs under way that would save their state. While there is none, whoever
  /// makes the wish need not wait for its being granted.
  int64_t num_savers() const { return savers_; }

  /// A run that saves its state when it is stopped, while it is under way.
  class Saver : NonCopyable {
   public:
    explicit Saver(StopRequest& request) : request_(request) {
      ++request_.savers_;
    }
    ~Saver() { --request_.savers_; }

   private:
    StopRequest& request_;
  };

 private:
  std::atomic<bool> made_{false};
  std::atomic<int64_t> savers_{0};
};

}  // namespace ordered_gnn::lab
