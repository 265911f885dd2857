#include "scale/engines/local_group.h"

#include <algorithm>
#include <cstring>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {

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
      if (send_bytes[r] > 0) hub_.put(rank_, r, {from, from + send_bytes[r]});
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
    hub_.put(rank_, to, {bytes, bytes + values.nbytes()});
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
    const LocalHub::Bytes message = hub_.take(from, rank_);
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

void LocalHub::put(int64_t from, int64_t to, Bytes message) {
  const std::lock_guard<std::mutex> lock(mutex_);
  waiting_[{from, to}].push_back(std::move(message));
  arrived_.notify_all();
}

LocalHub::Bytes LocalHub::take(int64_t from, int64_t to) {
  std::unique_lock<std::mutex> lock(mutex_);
  std::deque<Bytes>& queue = waiting_[{from, to}];
  arrived_.wait(lock, [&] { return is_aborted_ || !queue.empty(); });
  if (is_aborted_) throw Error(reason_);
  Bytes message = std::move(queue.front());
  queue.pop_front();
  return message;
}

void SingleGroup::exchange(const at::Tensor& /*send*/,
                           const std::vector<int64_t>& /*send_bytes*/,
                           at::Tensor& /*receive*/,
                           const std::vector<int64_t>& /*receive_bytes*/) {}

void SingleGroup::send(const at::Tensor& /*values*/, int64_t /*to*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

void SingleGroup::receive(at::Tensor& /*values*/, int64_t /*from*/) {
  TORCH_INTERNAL_ASSERT(false, "there is one rank");
}

void SingleGroup::broadcast(at::Tensor& /*values*/) {}

}  // namespace ordered_gnn::scale
