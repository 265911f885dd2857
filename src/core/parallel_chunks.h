#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace ordered_gnn::core {

/// Steps of a block that blocks of one chunk take one after the other, in the
/// order of their numbers. Block b waits at a step until b - 1 has left it.
class ChunkTurn {
 public:
  static constexpr int kSteps = 3;
  using Done = std::atomic<int64_t>[kSteps];

  ChunkTurn(Done& done, int64_t block, const std::atomic<bool>& failed)
      : done_(done), block_(block), failed_(failed) {}

  /// Calls body() when it is this block's turn at `step`, of kSteps. All blocks
  /// of a loop take the same steps, in the same order.
  template <typename Body>
  void take(int step, const Body& body) const {
    wait(step);
    body();
    done_[step].store(block_ + 1, std::memory_order_release);
  }

 private:
  /// @throws Abandoned when a block failed, so that the turn may never come.
  void wait(int step) const;

  Done& done_;
  const int64_t block_;
  const std::atomic<bool>& failed_;
};

/// Calls body(chunk, block, turn) once for every block in [0, blocks[chunk]) of
/// every chunk. What a block adds to sums of its chunk goes into
/// turn.take(step, ...): those parts run in order, so that the sums have the
/// same bits for any number of threads, while other parts of the chunk's blocks
/// run side by side.
///
/// A thread walks through chunks that nobody has begun, whose sums then stay in
/// its cache; without any left it helps where most blocks are left. So threads
/// may be more than chunks, and a slow one delays the others by a block, not by
/// a chunk. Exceptions and nested calls are as with parallel_blocks().
void parallel_chunks(
    const std::vector<int64_t>& blocks,
    const std::function<void(int64_t, int64_t, const ChunkTurn&)>& body);

}  // namespace ordered_gnn::core
