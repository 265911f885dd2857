#pragma once
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// The engine `local`: ranks are threads of one process, messages copies of
/// bytes.
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
  using Bytes = std::vector<char>;
  void put(int64_t from, int64_t to, Bytes message);
  Bytes take(int64_t from, int64_t to);

  const int64_t size_;
  std::mutex mutex_;
  std::condition_variable arrived_;
  std::map<std::pair<int64_t, int64_t>, std::deque<Bytes>> waiting_;
  bool is_aborted_ = false;
  std::string reason_;
};

}  // namespace ordered_gnn::scale
