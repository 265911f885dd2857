#pragma once
#include <cstdint>

namespace ordered_gnn::detail {

/// A captured CUDA graph replays the same numbers every time, but dropout needs
/// the step of training. Where ops take an int64 `step`, a negative one stands
/// for a place on the device that holds the step when the kernel runs. It
/// reaches backward the way any other step does.
inline int64_t step_at(const int64_t* device_address) {
  return -static_cast<int64_t>(reinterpret_cast<intptr_t>(device_address));
}

/// The place behind a step, null for an ordinary one.
inline const int64_t* address_of_step(int64_t step) {
  if (step >= 0) return nullptr;
  return reinterpret_cast<const int64_t*>(static_cast<intptr_t>(-step));
}

}  // namespace ordered_gnn::detail
