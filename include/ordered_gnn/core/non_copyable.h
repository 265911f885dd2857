#pragma once

namespace ordered_gnn {

/// Base of classes whose objects are neither copied nor moved: what holds a
/// file, a lock, a thread or a setting of its thread until it ends.
class NonCopyable {
 public:
  NonCopyable(const NonCopyable&) = delete;
  NonCopyable& operator=(const NonCopyable&) = delete;

 protected:
  NonCopyable() = default;
  ~NonCopyable() = default;
};

}  // namespace ordered_gnn
