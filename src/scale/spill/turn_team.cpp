#include "scale/spill/turn_team.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {

TurnTeam::TurnTeam(PagedMemory& memory, int64_t parts, int64_t threads)
    : memory_(memory),
      is_done_(parts, true),
      threads_(parts, threads, [this](int64_t part) { work(part); }) {}

void TurnTeam::run(int64_t kind, const std::function<void(int64_t)>& body) {
  memory_.begin_pass(kind);
  std::unique_lock<std::mutex> lock(mutex_);
  body_ = &body;
  failure_ = nullptr;
  is_done_.assign(is_done_.size(), false);
  turn_ = 0;
  threads_.start();
  changed_.wait(lock, [this] { return turn_ < 0; });
  if (failure_) std::rethrow_exception(failure_);
}

void TurnTeam::next_turn(int64_t part) {
  pass_turn(part, /*is_done=*/false);
  if (!wait_for_turn(part)) {
    fail("another part of the graph could not be computed");
  }
}

// False when a part has failed and there is nothing left to be done.
bool TurnTeam::wait_for_turn(int64_t part) {
  {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return turn_ == part; });
    if (failure_) return false;
  }
  memory_.begin_turn(part);
  return true;
}

void TurnTeam::pass_turn(int64_t part, bool is_done) {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_done_[part] = is_done;
  const auto parts = static_cast<int64_t>(is_done_.size());
  turn_ = -1;
  for (int64_t step = 1; step <= parts && turn_ < 0; ++step) {
    const int64_t next = (part + step) % parts;
    if (!is_done_[next]) turn_ = next;
  }
  changed_.notify_all();
}

void TurnTeam::compute(int64_t part) {
  try {
    if (!wait_for_turn(part)) return;
    const PagedMemory::Scope paged(memory_, part);
    (*body_)(part);
  } catch (...) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (!failure_) failure_ = std::current_exception();
  }
}

void TurnTeam::work(int64_t part) {
  compute(part);
  pass_turn(part, /*is_done=*/true);
}

}  // namespace ordered_gnn::scale
