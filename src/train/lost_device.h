#pragma once
#include <string>

#include "ordered_gnn/train/execution.h"

namespace ordered_gnn::training {

/// Why the device that is asked for can do no more work in this process,
/// whoever is to blame: after an access to memory that is not there a GPU
/// refuses all that follows, of every run. Empty when it goes on, and on the
/// CPU.
std::string why_device_is_lost(const ExecutionOptions& options);

}  // namespace ordered_gnn::training
