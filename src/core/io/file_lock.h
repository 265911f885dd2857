#pragma once
#include <filesystem>

namespace ordered_gnn::core {

/// Takes the lock of an open file or folder, without waiting. The lock goes
/// with the descriptor.
/// @return  false when another descriptor holds it.
/// @throws Error naming `path` when the system has no lock to give: that is not
///         the same as somebody else's.
bool try_lock(int descriptor, const std::filesystem::path& path);

}  // namespace ordered_gnn::core
