#pragma once
#include <c10/core/AutogradState.h>
#include <c10/core/Device.h>
#include <c10/util/Exception.h>
#include <torch/version.h>

#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::scale {

/// While it lives, what this thread runs backward runs on this thread, on a GPU
/// as well. Otherwise LibTorch has one thread for all that is on a GPU, where
/// the parts of a graph would wait for each other forever.
class OwnBackward : NonCopyable {
 public:
  /// @param device  of the tensors; on a CPU it is so anyway.
  explicit OwnBackward(at::Device device) : is_active_(!device.is_cpu()) {
    set(false);
  }
  ~OwnBackward() { set(true); }

 private:
  void set(bool uses_threads_of_devices) const {
    if (!is_active_) return;
#if TORCH_VERSION_MAJOR >= 2
    c10::AutogradState::get_tls_state().set_multithreading_enabled(
        uses_threads_of_devices);
#else
    TORCH_CHECK(uses_threads_of_devices,
                "training over parts on a GPU needs LibTorch 2 or newer");
#endif
  }

  const bool is_active_;
};

}  // namespace ordered_gnn::scale
