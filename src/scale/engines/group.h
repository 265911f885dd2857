#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace ordered_gnn::scale {

/// A message on its way; its tensor must outlive it.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// Returns when it has arrived, or may be changed where it was sent; on any
  /// thread, once, and again where it ended with an exception.
  virtual void wait() = 0;
  /// Lets a wait() on another thread, and those to come, end with an exception.
  virtual void abort() = 0;
};

/// Ranks that send bytes to each other: all that training over parts asks of an
/// engine. Tensors are contiguous, of any type, on the CPU, or, where the
/// engine says so, on a GPU. A call waits until what it sends may be changed
/// and what it receives is there, for whatever follows on the same stream of a
/// GPU; calls of all ranks must fit each other.
///
/// Numbers are never added up by an engine: the order would depend on it.
class Group {
 public:
  virtual ~Group() = default;

  virtual int64_t rank() const = 0;
  virtual int64_t size() const = 0;

  /// Sends `send_bytes[r]` bytes of `send` to every rank r, in their order, and
  /// receives `receive_bytes[r]` from it.
  virtual void exchange(const at::Tensor& send,
                        const std::vector<int64_t>& send_bytes,
                        at::Tensor& receive,
                        const std::vector<int64_t>& receive_bytes) = 0;

  /// Messages beside all others, from any thread: the first receive of a tag
  /// that was started gets what was sent first, and so on, in whatever order
  /// they are waited for.
  /// @param tag  from 0 on.
  virtual std::unique_ptr<Transfer> start_send(const at::Tensor& values,
                                               int64_t to, int64_t tag) = 0;
  virtual std::unique_ptr<Transfer> start_receive(const at::Tensor& values,
                                                  int64_t from,
                                                  int64_t tag) = 0;

  virtual void send(const at::Tensor& values, int64_t to) = 0;
  virtual void receive(at::Tensor& values, int64_t from) = 0;

  /// From rank 0 to all others.
  virtual void broadcast(at::Tensor& values) = 0;
};

/// One rank alone.
class SingleGroup : public Group {
 public:
  int64_t rank() const override { return 0; }
  int64_t size() const override { return 1; }
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
};

}  // namespace ordered_gnn::scale
