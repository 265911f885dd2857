#include "scale/engines/local_group.h"

#include <ATen/Functions.h>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {

namespace {

// Of calls that wait; tags of other messages follow it.
constexpr int64_t kCalls = 0;

const std::atomic<bool> kNeverOver{false};

// A message that was copied when it was sent.
class Sent : public Transfer {
 public:
  void wait() override {}
  void abort() override {}
};

// The memory of a tensor, byte by byte.
at::Tensor as_bytes(const at::Tensor& values) {
  return values.detach().reshape({-1}).view(at::kByte);
}

void copy_message(const at::Tensor& message, const at::Tensor& to,
                  int64_t rank) {
  TORCH_CHECK(message.numel() == to.numel(), "expected ", to.numel(),
              " bytes of rank ", rank, ", got ", message.numel());
  to.copy_(message);
}

}  // namespace

class LocalArrival : public Transfer {
 public:
  LocalArrival(LocalHub& hub, const LocalHub::Queue& queue, at::Tensor values)
      : hub_(hub),
        queue_(queue),
        number_(hub.ask_for(queue)),
        values_(std::move(values)) {}

  void wait() override {
    copy_message(hub_.take(queue_, number_, is_over_), as_bytes(values_),
                 std::get<0>(queue_));
  }
  void abort() override {
    is_over_ = true;
    hub_.wake_all();
  }

 private:
  LocalHub& hub_;
  const LocalHub::Queue queue_;
  const int64_t number_;
  const at::Tensor values_;
  std::atomic<bool> is_over_{false};
};

class LocalGroup : public Group {
 public:
  LocalGroup(LocalHub& hub, int64_t rank) : hub_(hub), rank_(rank) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return hub_.size_; }

  void exchange(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) override {
    const auto each = [&](const at::Tensor& bytes,
                          const std::vector<int64_t>& counts,
                          const auto& move) {
      int64_t first = 0;
      for (int64_t r = 0; r < size(); ++r) {
        if (counts[r] > 0) move(bytes.narrow(0, first, counts[r]), r);
        first += counts[r];
      }
    };
    each(as_bytes(send), send_bytes, [&](const at::Tensor& piece, int64_t r) {
      hub_.put({rank_, r, kCalls}, piece.clone());
    });
    each(as_bytes(receive), receive_bytes,
         [&](const at::Tensor& piece, int64_t r) { take_into(piece, r); });
  }

  void send(const at::Tensor& values, int64_t to) override {
    hub_.put({rank_, to, kCalls}, as_bytes(values).clone());
  }

  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override {
    hub_.put({rank_, to, kCalls + 1 + tag}, as_bytes(values).clone());
    return std::make_unique<Sent>();
  }

  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override {
    const LocalHub::Queue queue{from, rank_, kCalls + 1 + tag};
    return std::make_unique<LocalArrival>(hub_, queue, values);
  }

  void receive(at::Tensor& values, int64_t from) override {
    take_into(as_bytes(values), from);
  }

  void broadcast(at::Tensor& values) override {
    if (rank_ > 0) {
      receive(values, 0);
      return;
    }
    for (int64_t r = 1; r < size(); ++r) send(values, r);
  }

 private:
  void take_into(const at::Tensor& to, int64_t from) {
    const LocalHub::Queue calls{from, rank_, kCalls};
    copy_message(hub_.take(calls, hub_.ask_for(calls), kNeverOver), to, from);
  }

  LocalHub& hub_;
  const int64_t rank_;
};

std::unique_ptr<Group> LocalHub::rank(int64_t rank) {
  return std::make_unique<LocalGroup>(*this, rank);
}

void LocalHub::abort(const std::string& reason) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!is_aborted_) reason_ = reason;
  is_aborted_ = true;
  arrived_.notify_all();
}

void LocalHub::put(const Queue& queue, Bytes message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  Line& line = lines_[queue];
  line.there.emplace(line.sent++, std::move(message));
  arrived_.notify_all();
}

int64_t LocalHub::ask_for(const Queue& queue) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return lines_[queue].asked_for++;
}

void LocalHub::wake_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  arrived_.notify_all();
}

LocalHub::Bytes LocalHub::take(const Queue& queue, int64_t number,
                               const std::atomic<bool>& is_over) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::map<int64_t, Bytes>& there = lines_[queue].there;
  arrived_.wait(
      lock, [&] { return is_aborted_ || is_over || there.count(number) > 0; });
  if (is_aborted_) throw Error(reason_);
  if (is_over) throw Error("nobody waits for this message any more");
  auto node = there.extract(number);
  return std::move(node.mapped());
}

void SingleGroup::exchange(const at::Tensor& /*send*/,
                           const std::vector<int64_t>& /*send_bytes*/,
                           at::Tensor& /*receive*/,
                           const std::vector<int64_t>& /*receive_bytes*/) {}

std::unique_ptr<Transfer> SingleGroup::start_send(const at::Tensor& /*values*/,
                                                  int64_t /*to*/,
                                                  int64_t /*tag*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

std::unique_ptr<Transfer> SingleGroup::start_receive(
    const at::Tensor& /*values*/, int64_t /*from*/, int64_t /*tag*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

void SingleGroup::send(const at::Tensor& /*values*/, int64_t /*to*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

void SingleGroup::receive(at::Tensor& /*values*/, int64_t /*from*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

void SingleGroup::broadcast(at::Tensor& /*values*/) {}

}  // namespace ordered_gnn::scale
