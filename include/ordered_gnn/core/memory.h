#pragma once
#include <cstdint>
#include <string>

namespace ordered_gnn {

/// Memory of this process that is in RAM now, in bytes; 0 when unknown.
int64_t resident_memory_bytes();

/// Most memory of this process that was in RAM at a time, in bytes: since the
/// start, or since reset_peak_memory().
int64_t peak_memory_bytes();

/// Lets peak_memory_bytes() count anew from what is resident now.
/// @return false when the system does not allow it; the old peak then stays.
bool reset_peak_memory();

/// Memory of the machine, of the group of processes this one is limited to, or
/// of the addresses that `ulimit -v` leaves it, that could still be taken, in
/// bytes; 0 when unknown. Swap is not counted, pages of files that the system
/// would give up are.
int64_t available_memory_bytes();

/// Makes LibTorch keep large blocks of freed tensors for the next ones of their
/// size, for the rest of the process: training asks for the same sizes every
/// epoch, and fresh pages cost more than most loops over them. `ognn` calls it;
/// a program of your own may, before its first tensor.
void use_recycling_allocator();

/// Gives the system back what use_recycling_allocator() keeps and nobody uses,
/// and what malloc() does, so that memory can be measured.
void release_recycled_memory();

/// "512 bytes", "10.6 MB"; "unknown size" for a negative number.
std::string bytes_text(int64_t bytes);

}  // namespace ordered_gnn
