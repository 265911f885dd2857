#pragma once
#include <cstddef>
#include <cstdint>

/// Which call of a program is to fail, see injector.cpp for how it is told. All
/// of it works inside malloc(): nothing here allocates, and errno is set only
/// when a call fails.
namespace ordered_gnn::faults {

/// Counts a call on a file below the folder.
/// @param kind  as the log names it: "open", "write" and so on.
/// @return  true when it is to fail, with errno set.
bool fails(const char* kind, int descriptor);
/// The same of a path as seen from `folder`, a descriptor or AT_FDCWD.
bool fails_at(const char* kind, int folder, const char* name);

/// Counts a read or write.
/// @return  how many of its bytes may move; below 0 when it is to fail.
int64_t granted(const char* kind, int descriptor, size_t size);

/// Counts a request for memory, where it is large and after the first call on a
/// file below the folder.
bool fails_for_memory(size_t size);

}  // namespace ordered_gnn::faults
