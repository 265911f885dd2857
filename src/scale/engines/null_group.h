#pragma once
#include <ATen/core/Tensor.h>

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// What a rank has sent and received by start_send() and start_receive(), that
/// is, rows of nodes.
struct Traffic {
  int64_t sent = 0;  ///< bytes
  int64_t received = 0;
  int64_t messages = 0;  ///< both ways
};

/// The engine `null`: one rank of a run whose other ranks are not there, to
/// find out what its own share costs. Messages are copied as they would be,
/// and counted; a rank is sent what it sent last of the same type, over and
/// over, so that numbers stay such as training has. Calls that wait receive
/// zeros: to sums over ranks the others add nothing, and of scored nodes they
/// have none.
class NullGroup : public Group {
 public:
  /// What the others would send in an exchange().
  using Answer =
      std::function<void(const at::Tensor& send, at::Tensor& receive)>;

  NullGroup(int64_t rank, int64_t size, Answer answer)
      : rank_(rank), size_(size), answer_(std::move(answer)) {}

  int64_t rank() const override { return rank_; }
  int64_t size() const override { return size_; }
  void exchange(const at::Tensor& send, const std::vector<int64_t>& send_bytes,
                at::Tensor& receive,
                const std::vector<int64_t>& receive_bytes) override;
  std::unique_ptr<Transfer> start_send(const at::Tensor& values, int64_t to,
                                       int64_t tag) override;
  std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                          int64_t from, int64_t tag) override;
  void send(const at::Tensor& values, int64_t to) override;
  void receive(at::Tensor& values, int64_t from) override;
  void broadcast(at::Tensor& values) override;

  /// Since it was made.
  Traffic traffic() const;

 private:
  class Arrival;
  using Bytes = std::shared_ptr<const std::vector<char>>;
  Bytes last_of(at::ScalarType type) const;
  void count(int64_t sent, int64_t received);

  const int64_t rank_, size_;
  const Answer answer_;
  mutable std::mutex mutex_;
  std::map<at::ScalarType, Bytes> last_;
  Traffic traffic_;
};

}  // namespace ordered_gnn::scale
