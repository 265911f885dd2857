#pragma once
#include <memory>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// Does what another group does, for tests that look at its calls or change
/// some.
class PassingGroup : public Group {
 public:
  explicit PassingGroup(Group& group) : group_(group) {}

  int64_t rank() const override { return group_.rank(); }
  int64_t size() const override { return group_.size(); }
  void exchange(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) override {
    group_.exchange(send, send_bytes, receive, receive_bytes);
  }
  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override {
    return group_.start_send(values, to, tag);
  }
  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override {
    return group_.start_receive(values, from, tag);
  }
  void send(const at::Tensor& values, int64_t to) override {
    group_.send(values, to);
  }
  void receive(at::Tensor& values, int64_t from) override {
    group_.receive(values, from);
  }
  void broadcast(at::Tensor& values) override { group_.broadcast(values); }

 private:
  Group& group_;
};

}  // namespace ordered_gnn::scale
