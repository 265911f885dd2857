#pragma once
#include <chrono>
#include <cstdint>
#include <memory>

#include "scale/engines/board.h"
#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// Whether this build was made with NCCL.
bool has_nccl();
/// @throws UsageError without it, as what follows does.
void require_nccl();

struct NcclOptions {
  int64_t rank = 0;
  int64_t size = 1;
  int64_t gpu = 0;         ///< of this machine, of no other rank
  Board* board = nullptr;  ///< of all ranks; null where there is one
  std::chrono::milliseconds patience{60000};  ///< for all ranks to come
};

/// The engine `nccl`: ranks are processes with a GPU each. Tensors are on that
/// GPU; others are copied there and back. It has no messages beside its calls,
/// start_send() and start_receive(). With several ranks its calls throw
/// ConnectionLost.
/// @throws Error when NCCL cannot be loaded or not all ranks come in time.
std::unique_ptr<Group> make_nccl_group(const NcclOptions& options);

}  // namespace ordered_gnn::scale
