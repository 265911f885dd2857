#pragma once
#include <httplib.h>

#include <atomic>
#include <string>
#include <string_view>

#include "lab/serve/channel.h"
#include "lab/serve/request_head.h"

namespace ordered_gnn::lab {

/// The requests of a connection one behind the other, as cpp-httplib reads
/// them: none may be longer, or take more time, than is allowed. What arrives
/// behind one belongs to the next.
class RequestStream : public httplib::Stream {
 public:
  struct Limits {
    Channel::Clock::duration idle, read, write;
  };
  RequestStream(Channel& channel, Limits limits)
      : channel_(channel), limits_(limits) {}

  /// Waits for a request and reads its head. False when there is none: the
  /// connection has ended, nothing came, or the server is stopping.
  bool next_request(const std::atomic<bool>& is_stopping);
  /// Of the request that is being read; it may be refused.
  const RequestHead& head() const { return head_; }
  /// What has arrived behind the head, at least a byte; nothing when the
  /// connection has ended or the time is over.
  std::string_view arrived();
  /// Goes on behind so many bytes of it.
  void take(size_t bytes) { in_at_ += bytes; }
  /// Whether the time for the request is over.
  bool is_late() const { return Channel::Clock::now() >= read_until_; }
  /// No request is read behind this one.
  void set_last() { is_last_ = true; }
  bool is_last() const { return is_last_ || head_.is_last; }
  /// Sends what was written; false when the other side does not take it.
  bool flush();

  // cpp-httplib reads the head and no more; bodies are read by arrived().
  bool is_readable() const override { return true; }
  bool is_writable() const override { return !is_broken_; }
  ssize_t read(char* bytes, size_t size) override;
  ssize_t write(const char* bytes, size_t size) override;
  void get_remote_ip_and_port(std::string& /*ip*/,
                              int& /*port*/) const override {}
  void get_local_ip_and_port(std::string& /*ip*/,
                             int& /*port*/) const override {}
  // Nobody waits on it by select(), which takes small numbers alone.
  socket_t socket() const override { return 0; }

 private:
  using Clock = Channel::Clock;

  // More of what the other side says; false when nothing comes in time.
  bool fill(Clock::time_point until);
  void read_head();

  Channel& channel_;
  const Limits limits_;
  std::string in_, out_;  // in_ from in_at_ on was not read yet
  size_t in_at_ = 0;
  RequestHead head_;
  size_t head_at_ = 0;
  Clock::time_point read_until_, write_until_;
  bool is_last_ = false, is_broken_ = false, is_writing_ = false;
};

}  // namespace ordered_gnn::lab
