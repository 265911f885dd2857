#pragma once
#include <cstdint>
#include <vector>

namespace ordered_gnn::scale {

/// How many batches of at most `most` parts an epoch over all parts has.
int64_t batches_per_epoch(int64_t parts, int64_t most);

/// The parts of every batch of an epoch, rising within a batch. They are drawn
/// from a random stream of seed and epoch alone; batches differ in size by one
/// part at most, and every part is in one of them.
std::vector<std::vector<int64_t>> draw_batches(int64_t parts, int64_t most,
                                               int64_t seed, int64_t epoch);

}  // namespace ordered_gnn::scale
