#include "scale/engines/local_group.h"

#include <algorithm>
#include <cstring>

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

void copy_message(const std::vector<char>& message, const at::Tensor& to) {
  TORCH_CHECK(message.size() == to.nbytes(), "expected ", to.nbytes(),
              " bytes of another rank, got ", message.size());
  std::memcpy(to.data_ptr(), message.data(), message.size());
}

}  // namespace

class LocalArrival : public Transfer {
 public:
  LocalArrival(LocalHub& hub, const LocalHub::Queue& queue, at::Tensor values)
      : hub_(hub), queue_(queue), values_(std::move(values)) {}

  void wait() override { copy_message(hub_.take(queue_, is_over_), values_); }
  void abort() override {
    is_over_ = true;
    hub_.wake_all();
  }

 private:
  LocalHub& hub_;
  const LocalHub::Queue queue_;
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
    const char* from = static_cast<const char*>(send.data_ptr());
    for (int64_t r = 0; r < size(); ++r) {
      if (send_bytes[r] > 0)
        hub_.put({rank_, r, kCalls}, {from, from + send_bytes[r]});
      from += send_bytes[r];
    }
    char* to = static_cast<char*>(receive.data_ptr());
    for (int64_t r = 0; r < size(); ++r) {
      if (receive_bytes[r] > 0) take_into(to, receive_bytes[r], r);
      to += receive_bytes[r];
    }
  }

  void send(const at::Tensor& values, int64_t to) override {
    const char* const bytes = static_cast<const char*>(values.data_ptr());
    hub_.put({rank_, to, kCalls}, {bytes, bytes + values.nbytes()});
  }

  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override {
    const char* const bytes = static_cast<const char*>(values.data_ptr());
    hub_.put({rank_, to, kCalls + 1 + tag}, {bytes, bytes + values.nbytes()});
    return std::make_unique<Sent>();
  }

  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override {
    const LocalHub::Queue queue{from, rank_, kCalls + 1 + tag};
    return std::make_unique<LocalArrival>(hub_, queue, values);
  }

  void receive(at::Tensor& values, int64_t from) override {
    take_into(static_cast<char*>(values.data_ptr()),
              static_cast<int64_t>(values.nbytes()), from);
  }

  void broadcast(at::Tensor& values) override {
    if (rank_ > 0) {
      receive(values, 0);
      return;
    }
    for (int64_t r = 1; r < size(); ++r) send(values, r);
  }

 private:
  void take_into(char* to, int64_t bytes, int64_t from) {
    const LocalHub::Bytes message =
        hub_.take({from, rank_, kCalls}, kNeverOver);
    TORCH_CHECK(static_cast<int64_t>(message.size()) == bytes, "rank ", rank_,
                " expected ", bytes, " bytes of rank ", from, ", got ",
                message.size());
    std::copy(message.begin(), message.end(), to);
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
  waiting_[queue].push_back(std::move(message));
  arrived_.notify_all();
}

void LocalHub::wake_all() {
  const std::lock_guard<std::mutex> lock(mutex_);
  arrived_.notify_all();
}

LocalHub::Bytes LocalHub::take(const Queue& name,
                               const std::atomic<bool>& is_over) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::deque<Bytes>& queue = waiting_[name];
  arrived_.wait(lock, [&] { return is_aborted_ || is_over || !queue.empty(); });
  if (is_aborted_) throw Error(reason_);
  if (is_over) throw Error("nobody waits for this message any more");
  Bytes message = std::move(queue.front());
  queue.pop_front();
  return message;
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
