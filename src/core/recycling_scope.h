#pragma once

namespace ordered_gnn::core {

/// use_recycling_allocator() until end_recycling().
/// @return false, and nothing is done, where somebody else's allocator is used.
bool begin_recycling();

/// LibTorch's own allocator again; what was kept goes back to the system.
void end_recycling();

}  // namespace ordered_gnn::core
