#pragma once
#include <string>
#include <vector>

#include "ordered_gnn/data/dataset.h"
#include "ordered_gnn/nn/models.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::training {

/// What the memory of a pass over the data follows from.
PassSize pass_size(const NodeDataset& data);

/// The memory of a pass whose rows are stored as the options say, of the same
/// pass in float: in bfloat16 it takes half of that at least.
MemoryRange stored_in(const ExecutionOptions& execution, MemoryRange range);

/// training_bytes() of a run with these options.
MemoryRange training_bytes(const RunOptions& options, const NodeDataset& data);

/// Why so many runs at a time cannot be trained on the CPU, with the number,
/// what it is made of and what to do: even the least they take is not left, see
/// memory_left(). Empty when it may be, and on a GPU.
std::string why_no_memory(const RunOptions& options, const NodeDataset& data,
                          int64_t runs);

/// @throws Error with why_no_memory().
void require_training_memory(const RunOptions& options, const NodeDataset& data,
                             int64_t runs);

/// A sentence when the most that so many runs may take is not left.
std::vector<std::string> memory_remarks(const RunOptions& options,
                                        const NodeDataset& data, int64_t runs);

}  // namespace ordered_gnn::training
