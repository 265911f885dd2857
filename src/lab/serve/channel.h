#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>

namespace ordered_gnn::lab {

/// What carries the bytes of one connection.
class Channel {
 public:
  using Clock = std::chrono::steady_clock;
  /// What read() gives beside a number of bytes.
  static constexpr ssize_t kEnded = 0, kFailed = -1, kLate = -2;

  Channel() = default;
  virtual ~Channel() = default;
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Waits for bytes, at least one.
  virtual ssize_t read(char* bytes, size_t size, Clock::time_point until) = 0;
  /// Writes all of them; false when that is not possible in time.
  virtual bool write(const char* bytes, size_t size,
                     Clock::time_point until) = 0;
};

}  // namespace ordered_gnn::lab
