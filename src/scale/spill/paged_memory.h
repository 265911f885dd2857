#pragma once
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/block_source.h"
#include "ordered_gnn/core/non_copyable.h"
#include "scale/spill/spill_file.h"

namespace ordered_gnn::scale {

class PageFaults;

/// Memory of tensors of which only some is resident, the rest on a disk.
///
/// A tensor keeps its address. Where its block is on the disk the address has
/// no page, and whoever touches it waits until the block has been read: so
/// nothing that computes has to know, and nothing stale can be read. Blocks are
/// read and written whole, by pread() and pwrite(). A block that was only read
/// is not written again.
///
/// Parts of a graph take turns in a fixed order. Room is made by blocks of the
/// part whose turn is farthest away. While a part computes, a thread writes
/// what the part before has changed and reads what the next will touch: the
/// same blocks, by the order in which they were made, that parts before it
/// touched in this turn.
///
/// One at a time in a process. The signal of a touched block is SIGSEGV; others
/// are passed on.
class PagedMemory : NonCopyable {
 public:
  struct Settings {
    int64_t budget = 0;  ///< bytes that may be resident
    int64_t parts = 1;
    int64_t least_block = int64_t{256} << 10;  ///< smaller ones are not paged
    /// Told when a block cannot be read again while somebody waits for it; must
    /// not return, for nobody can go on. Null: the process ends.
    std::function<void(const std::string& message)> on_lost;
  };

  PagedMemory(SpillFile& file, Settings settings);
  /// Blocks that are still in use are brought back into memory.
  ~PagedMemory();

  /// While it lives, large tensors that the calling thread makes are blocks of
  /// a part.
  /// @param in_order  whether all passes of a kind make them in the same order,
  ///                  so that they can be read ahead.
  class Scope : NonCopyable {
   public:
    Scope(PagedMemory& memory, int64_t part, bool in_order = true);
    ~Scope();

   private:
    class Source;
    std::unique_ptr<Source> source_;
    core::BlockSource* const outer_;
  };

  /// A pass over all parts begins; passes of a kind touch the same blocks.
  void begin_pass(int64_t kind);
  /// A part goes on. @throws Error when something could not be written.
  void begin_turn(int64_t part);

  /// Copies bytes of a tensor from where they are, which may be the disk.
  void copy(const void* from, int64_t bytes, void* to);
  /// Whether these bytes are on the disk alone now.
  bool is_on_disk(const void* address);

  void set_budget(int64_t bytes);

  struct Counts {
    int64_t resident = 0;  ///< bytes now
    int64_t peak = 0;      ///< most of them at a time
    int64_t written = 0, read = 0;
    int64_t waits = 0;  ///< blocks that were not there when they were touched
  };
  Counts counts() const;

 private:
  struct Block;
  friend class PageFaults;
  using Lock = std::unique_lock<std::mutex>;
  using Spare = std::multimap<size_t, char*>;
  using Turn = std::pair<int64_t, int64_t>;  ///< kind of pass, number in it

  void* take(int64_t part, size_t bytes, bool in_order);
  bool release(void* address);
  bool touch(const void* address, bool writes);
  bool fill(Block& block, Lock& lock, bool is_ahead);
  template <typename Move>
  std::exception_ptr move_unlocked(Block& block, Lock& lock, const Move& move);
  static void place_pages(const SpillFile& file, const Block& block, int access,
                          char* pages);
  Spare::iterator fitting_spare(size_t bytes);
  char* spare_of(size_t bytes);
  char* take_pages(size_t bytes, bool is_ahead, Lock& lock);
  static char* pages_out_of(const Block& block);
  bool make_room(int64_t bytes, int64_t least_distance, Lock& lock);
  bool drop_spare();
  Block* victim(int64_t least_distance);
  bool evict(Block& block, Lock& lock);
  bool clean(Block& block, Lock& lock);
  Block* find(const void* address);
  int64_t distance(int64_t part) const;
  void end_turn();
  void work();
  bool read_ahead(Lock& lock);
  bool write_behind(Lock& lock);
  [[noreturn]] void lose(const std::string& message) const;
  static void free_block(void* address);

  SpillFile& file_;
  const Settings settings_;
  mutable std::mutex mutex_;
  std::condition_variable settled_, wanted_;
  std::map<const char*, std::unique_ptr<Block>> blocks_;
  Spare spare_;  ///< pages that are resident and nobody's
  int64_t budget_;
  Counts counts_;
  int64_t current_ = 0, kind_ = 0, turn_ = 0;
  std::vector<int64_t> made_;  ///< blocks per part since the pass began
  uint64_t clock_ = 0;
  std::set<int64_t> touched_;  ///< in this turn, by when they were made
  std::map<Turn, std::set<int64_t>> expected_;
  std::exception_ptr failure_;
  bool ends_ = false;
  std::unique_ptr<PageFaults> faults_;
  std::thread worker_;
};

}  // namespace ordered_gnn::scale
