#pragma once
#include <cstdint>
#include <functional>

namespace ordered_gnn::core {

/// parallel_blocks() that leaves no trace: for loops that trace finer pieces of
/// their own.
void run_blocks(int64_t num_blocks, const std::function<void(int64_t)>& body);

/// Threads that run_blocks() would take for so many blocks here and now.
int threads_for(int64_t num_blocks);

}  // namespace ordered_gnn::core
