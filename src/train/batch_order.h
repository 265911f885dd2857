#pragma once
#include <cstdint>
#include <vector>

namespace ordered_gnn::training {

/// How many batches of at most `most` members an epoch over all `count` has:
/// parts of a graph, or training nodes.
int64_t batches_per_epoch(int64_t count, int64_t most);

/// The members of every batch of an epoch, numbers below `count`, rising within
/// a batch. They are drawn from a random stream of seed and epoch alone;
/// batches differ in size by one member at most, and everyone is in one of
/// them.
std::vector<std::vector<int64_t>> draw_batches(int64_t count, int64_t most,
                                               int64_t seed, int64_t epoch);

}  // namespace ordered_gnn::training
