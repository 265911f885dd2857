#include "scale/engines/null_group.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace ordered_gnn::scale {
namespace {

// A message that was copied when it was sent.
class Dropped : public Transfer {
 public:
  void wait() override {}
  void abort() override {}
};

int64_t message_bytes(const at::Tensor& values) {
  return static_cast<int64_t>(values.nbytes());
}

int64_t total(const std::vector<int64_t>& bytes) {
  return std::accumulate(bytes.begin(), bytes.end(), int64_t{0});
}

// As often as it takes; zeros of nothing.
void fill_from(const std::vector<char>* message, const at::Tensor& values) {
  auto* const to = static_cast<char*>(values.data_ptr());
  const size_t size = values.nbytes();
  if (message == nullptr || message->empty()) {
    std::memset(to, 0, size);
    return;
  }
  for (size_t begin = 0; begin < size; begin += message->size()) {
    std::memcpy(to + begin, message->data(),
                std::min(message->size(), size - begin));
  }
}

}  // namespace

class NullGroup::Arrival : public Transfer {
 public:
  Arrival(const NullGroup& group, at::Tensor values)
      : group_(group), values_(std::move(values)) {}

  void wait() override {
    fill_from(group_.last_of(values_.scalar_type()).get(), values_);
  }
  void abort() override {}

 private:
  const NullGroup& group_;
  const at::Tensor values_;
};

NullGroup::Bytes NullGroup::last_of(at::ScalarType type) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = last_.find(type);
  return found == last_.end() ? nullptr : found->second;
}

void NullGroup::count(int64_t sent, int64_t received) {
  const std::lock_guard<std::mutex> lock(mutex_);
  traffic_.sent += sent;
  traffic_.received += received;
  ++traffic_.messages;
}

void NullGroup::exchange(const at::Tensor& send,
                         const std::vector<int64_t>& send_bytes,
                         at::Tensor& receive,
                         const std::vector<int64_t>& receive_bytes) {
  TORCH_CHECK(total(send_bytes) == message_bytes(send) &&
                  total(receive_bytes) == message_bytes(receive),
              "bytes of an exchange do not fit its tensors");
  answer_(send, receive);
}

std::unique_ptr<Transfer> NullGroup::start_send(const at::Tensor& values,
                                                int64_t /*to*/,
                                                int64_t /*tag*/) {
  const char* const from = static_cast<const char*>(values.data_ptr());
  auto copy = std::make_shared<std::vector<char>>(from, from + values.nbytes());
  count(message_bytes(values), 0);
  const std::lock_guard<std::mutex> lock(mutex_);
  last_[values.scalar_type()] = std::move(copy);
  return std::make_unique<Dropped>();
}

std::unique_ptr<Transfer> NullGroup::start_receive(const at::Tensor& values,
                                                   int64_t /*from*/,
                                                   int64_t /*tag*/) {
  count(0, message_bytes(values));
  return std::make_unique<Arrival>(*this, values);
}

void NullGroup::send(const at::Tensor& /*values*/, int64_t /*to*/) {}

void NullGroup::receive(at::Tensor& values, int64_t /*from*/) {
  fill_from(nullptr, values);
}

void NullGroup::broadcast(at::Tensor& /*values*/) {}

Traffic NullGroup::traffic() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return traffic_;
}

}  // namespace ordered_gnn::scale
