#pragma once
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// The engine `local`: ranks are threads of one process, messages copies of
/// bytes on the device of what is sent, which all ranks share.
class LocalHub {
 public:
  explicit LocalHub(int64_t size) : size_(size) {}

  /// The group as one of its ranks sees it; must not outlive the hub.
  std::unique_ptr<Group> rank(int64_t rank);

  /// Ends every call that waits, and those to come, with an Error that says
  /// this. The first reason counts.
  void abort(const std::string& reason);

 private:
  friend class LocalGroup;
  friend class LocalArrival;
  using Bytes = at::Tensor;  ///< [bytes] of its own
  // From whom, to whom, and which of their queues.
  using Queue = std::tuple<int64_t, int64_t, int64_t>;
  // Messages by the order in which they were sent, of those that are there.
  struct Line {
    int64_t sent = 0, asked_for = 0;
    std::map<int64_t, Bytes> there;
  };
  void put(const Queue& queue, Bytes message);
  /// The number of the next message that nobody has asked for: who asks first
  /// gets what was sent first, whoever waits for it first.
  int64_t ask_for(const Queue& queue);
  /// @param is_over  true: nobody waits for it any more.
  Bytes take(const Queue& queue, int64_t number,
             const std::atomic<bool>& is_over);
  void wake_all();

  const int64_t size_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<Queue, Line> lines_;
  bool is_aborted_ = false;
  std::string reason_;
};

}  // namespace ordered_gnn::scale
