#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {

/// What carries the bytes of one connection.
class Channel : NonCopyable {
 public:
  using Clock = std::chrono::steady_clock;
  /// What read() gives beside a number of bytes.
  static constexpr ssize_t kEnded = 0, kFailed = -1, kLate = -2;

  virtual ~Channel() = default;

  /// Waits for bytes, at least one.
  virtual ssize_t read(char* bytes, size_t size, Clock::time_point until) = 0;
  /// Writes all of them; false when that is not possible in time.
  virtual bool write(const char* bytes, size_t size,
                     Clock::time_point until) = 0;
};

}  // namespace ordered_gnn::lab
