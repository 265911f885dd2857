#include "core/thread_share.h"

#include <algorithm>
#include <mutex>
#include <vector>

namespace ordered_gnn::core {
namespace {

thread_local const ThreadShare* own_share = nullptr;

struct Sharers {
  std::mutex mutex;
  std::vector<ThreadShare*> all;
};

Sharers& sharers() {
  static Sharers list;
  return list;
}

}  // namespace

ThreadShare::ThreadShare(int total, int most)
    : total_(std::max(total, 1)), most_(std::max(most, 1)) {
  const std::lock_guard<std::mutex> lock(sharers().mutex);
  sharers().all.push_back(this);
  deal();
  own_share = this;
}

ThreadShare::~ThreadShare() {
  own_share = nullptr;
  const std::lock_guard<std::mutex> lock(sharers().mutex);
  auto& all = sharers().all;
  all.erase(std::find(all.begin(), all.end(), this));
  deal();
}

void ThreadShare::deal() {
  const std::vector<ThreadShare*>& all = sharers().all;
  const auto count = static_cast<int>(all.size());
  for (int i = 0; i < count; ++i) {
    ThreadShare& share = *all[static_cast<size_t>(i)];
    const int spare = i < share.total_ % count ? 1 : 0;
    share.threads_ = std::max(1, share.total_ / count + spare);
  }
}

int ThreadShare::threads() const { return std::min<int>(threads_, most_); }

const ThreadShare* ThreadShare::of_this_thread() { return own_share; }

}  // namespace ordered_gnn::core
