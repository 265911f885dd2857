#include "scale/spill/far_rounds.h"

#include <ATen/Functions.h>

#include <algorithm>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {
namespace {

// Of the rank's parts, for blocks of rows that came from others: all of its
// parts read them, the first one first.
constexpr int64_t kReader = 0;
constexpr size_t kRoundsAtATime = 2;

int64_t most_parts(const std::vector<int64_t>& bounds) {
  int64_t most = 0;
  for (size_t r = 0; r + 1 < bounds.size(); ++r) {
    most = std::max(most, bounds[r + 1] - bounds[r]);
  }
  return most;
}

}  // namespace

FarRounds::FarRounds(Group& group, PagedMemory& memory,
                     const PartsManifest& manifest,
                     const std::vector<int64_t>& bounds, Wire wire,
                     int64_t piece)
    : group_(group),
      memory_(memory),
      bounds_(bounds),
      rows_(group, memory, manifest, bounds, wire, piece) {
  sender_.is_done = &Round::is_sent;
  sender_.carry = &FarRounds::send_round;
  receiver_.is_done = &Round::is_received;
  receiver_.carry = &FarRounds::receive_round;
  if (group.size() == 1) return;
  for (Carrier* const carrier : {&sender_, &receiver_}) {
    carrier->thread = std::thread([this, carrier] { serve(*carrier); });
  }
}

FarRounds::~FarRounds() {
  abort();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  for (Carrier* const carrier : {&sender_, &receiver_}) {
    if (carrier->thread.joinable()) carrier->thread.join();
  }
}

void FarRounds::ask(std::vector<int64_t> in, std::vector<int64_t> out) {
  rows_.ask(Side::in, std::move(in));
  rows_.ask(Side::out, std::move(out));
  const std::lock_guard<std::mutex> lock(mutex_);
  has_asked_ = true;
  changed_.notify_all();
}

void FarRounds::wait_until(Lock& lock, const std::function<bool()>& is_so) {
  changed_.wait(lock, [&] { return failure_ != nullptr || is_so(); });
  if (failure_) std::rethrow_exception(failure_);
}

void FarRounds::begin(const std::shared_ptr<Round>& round) {
  if (group_.size() == 1) return;
  Lock lock(mutex_);
  wait_until(lock, [&] { return rounds_.size() < kRoundsAtATime; });
  rounds_.push_back(round);
  changed_.notify_all();
}

void FarRounds::bring(Round& round, int64_t part, const at::Tensor& rows) {
  const std::lock_guard<std::mutex> lock(mutex_);
  round.rows[part] = rows;
  round.is_there[part] = 1;
  changed_.notify_all();
}

at::Tensor FarRounds::rows_of(const Round& round, int64_t part) {
  Lock lock(mutex_);
  wait_until(lock, [&] { return round.is_there[part] != 0; });
  return round.rows[part];
}

void FarRounds::settle() {
  Lock lock(mutex_);
  wait_until(lock, [&] { return rounds_.empty(); });
}

void FarRounds::abort() {
  stop(std::make_exception_ptr(
      Error("another part of the graph could not be computed")));
}

// Of several reasons the first is told.
void FarRounds::stop(const std::exception_ptr& failure) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!failure_) failure_ = failure;
  for (const Carrier* const carrier : {&sender_, &receiver_}) {
    for (const auto& transfer : carrier->under_way) transfer->abort();
  }
  changed_.notify_all();
}

void FarRounds::reset() {
  Lock lock(mutex_);
  changed_.wait(lock, [&] { return !sender_.is_busy && !receiver_.is_busy; });
  rounds_.clear();
  failure_ = nullptr;
}

int64_t FarRounds::sent() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return sent_;
}

void FarRounds::serve(Carrier& carrier) {
  Lock lock(mutex_);
  while (true) {
    std::shared_ptr<Round> round;
    changed_.wait(lock, [&] {
      if (ends_) return true;
      if (!has_asked_ || failure_) return false;
      const auto next = std::find_if(
          rounds_.begin(), rounds_.end(),
          [&](const auto& one) { return !((*one).*carrier.is_done); });
      if (next != rounds_.end()) round = *next;
      return round != nullptr;
    });
    if (ends_) return;
    carrier.is_busy = true;
    lock.unlock();
    try {
      (this->*carrier.carry)(*round);
    } catch (...) {
      stop(std::current_exception());
    }
    lock.lock();
    (*round).*carrier.is_done = true;
    carrier.is_busy = false;
    while (!rounds_.empty() && rounds_.front()->is_sent &&
           rounds_.front()->is_received) {
      rounds_.pop_front();
    }
    changed_.notify_all();
    // Its rows go with it, which takes the lock of their memory alone.
    lock.unlock();
    round.reset();
    lock.lock();
  }
}

// Starts a message for each rank that has something to say and waits for all:
// while one is under way, it uses the piece.
void FarRounds::move(Carrier& carrier, FarRows::Piece& piece,
                     const Start& start) {
  std::vector<at::Tensor> values;
  std::exception_ptr failure;
  const auto trying = [&](const std::function<void()>& call) {
    try {
      call();
    } catch (...) {
      if (!failure) failure = std::current_exception();
    }
  };
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    char* at = piece.values.data();
    for (int64_t r = 0; r < group_.size(); at += piece.bytes[r], ++r) {
      if (piece.bytes[r] == 0) continue;
      values.push_back(at::from_blob(at, {piece.bytes[r]}, at::kByte));
      trying([&] { carrier.under_way.push_back(start(values.back(), r)); });
    }
  }
  if (failure) stop(failure);
  for (const auto& transfer : carrier.under_way) {
    const bool was_well = failure == nullptr;
    trying([&] { transfer->wait(); });
    if (was_well && failure) stop(failure);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  carrier.under_way.clear();
  if (failure) std::rethrow_exception(failure);
}

void FarRounds::send_round(Round& round) {
  const int64_t first = bounds_[group_.rank()];
  const int64_t parts = bounds_[group_.rank() + 1] - first;
  for (int64_t place = 0; place < parts; ++place) {
    const at::Tensor own = rows_of(round, first + place);
    for (int64_t number = 0;; ++number) {
      FarRows::Piece piece =
          rows_.piece_to_send(round.side, place, number, own);
      if (piece.values.empty()) break;
      rows_.pack(round.side, own, piece);
      move(sender_, piece, [&](const at::Tensor& values, int64_t rank) {
        return group_.start_send(values, rank, first + place);
      });
      const std::lock_guard<std::mutex> lock(mutex_);
      sent_ += static_cast<int64_t>(piece.values.size());
    }
  }
}

void FarRounds::receive_round(Round& round) {
  const at::Tensor like = rows_of(round, bounds_[group_.rank()]);
  for (int64_t place = 0; place < most_parts(bounds_); ++place) {
    for (int64_t number = 0;; ++number) {
      FarRows::Piece piece =
          rows_.piece_to_receive(round.side, place, number, like);
      if (piece.values.empty()) break;
      move(receiver_, piece, [&](const at::Tensor& values, int64_t rank) {
        return group_.start_receive(values, rank, bounds_[rank] + place);
      });
      if (number == 0) make_room(round, place, like);
      rows_.unpack(round.side, piece, round.rows);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    for (int64_t r = 0; r < group_.size(); ++r) {
      const int64_t part = bounds_[r] + place;
      if (r != group_.rank() && part < bounds_[r + 1]) round.is_there[part] = 1;
    }
    changed_.notify_all();
  }
}

// A tensor for every part, so that none is larger than one of a part's own.
void FarRounds::make_room(Round& round, int64_t place, const at::Tensor& like) {
  const PagedMemory::Scope paged(memory_, kReader, /*in_order=*/false);
  for (int64_t r = 0; r < group_.size(); ++r) {
    const int64_t part = bounds_[r] + place;
    if (r == group_.rank() || part >= bounds_[r + 1]) continue;
    const int64_t rows = rows_.needed_of(round.side, part);
    if (rows == 0) continue;
    const at::Tensor room = at::empty({rows, like.size(1)}, like.options());
    const std::lock_guard<std::mutex> lock(mutex_);
    round.rows[part] = room;
  }
}

}  // namespace ordered_gnn::scale
