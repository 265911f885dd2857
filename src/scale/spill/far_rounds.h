#pragma once
#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/engines/group.h"
#include "scale/parts/manifest.h"
#include "scale/spill/far_rows.h"
#include "scale/spill/paged_memory.h"

namespace ordered_gnn::scale {

/// Rounds in which ranks exchange rows while their parts take turns: what a
/// part has brought is on its way while the next one computes, and who needs
/// rows of another rank waits for those alone. A thread sends and a thread
/// receives; all ranks go through the places of their parts in the same order,
/// so that nobody waits for one who waits for it.
class FarRounds : NonCopyable {
 public:
  using Side = FarRows::Side;

  struct Round {
    Round(Side what, int64_t parts)
        : side(what), rows(parts), is_there(parts, 0) {}

    const Side side;
    /// Of every part of the graph: all rows of the rank's own, of others those
    /// that are needed here.
    std::vector<at::Tensor> rows;
    std::vector<char> is_there;  ///< of every part
    bool is_sent = false, is_received = false;
  };

  /// All must outlive it; see FarRows.
  FarRounds(Group& group, PagedMemory& memory, const PartsManifest& manifest,
            const std::vector<int64_t>& bounds, Wire wire,
            int64_t piece = FarRows::kPiece);
  ~FarRounds();

  /// Ranks tell each other what they need of both sides, rising ids; what was
  /// begun before waits until then. Once, by all ranks.
  void ask(std::vector<int64_t> in, std::vector<int64_t> out);

  /// Waits until the last round but one is over.
  void begin(const std::shared_ptr<Round>& round);
  /// A part of the rank has rows [n, D], which nobody may change any more.
  void bring(Round& round, int64_t part, const at::Tensor& rows);
  /// Rows of a part once they are there.
  /// @throws what kept them from coming.
  at::Tensor rows_of(const Round& round, int64_t part);

  /// Waits until all that was begun has come and gone.
  void settle();
  /// Lets all that wait go with an Error; the rounds begin anew with reset().
  void abort();
  void reset();

  const std::vector<int64_t>& needed(Side side) const {
    return rows_.needed(side);
  }
  /// Bytes of rows that were sent.
  int64_t sent() const;

 private:
  using Lock = std::unique_lock<std::mutex>;
  using Start = std::function<std::unique_ptr<Transfer>(const at::Tensor& piece,
                                                        int64_t rank)>;
  // One of the two threads.
  struct Carrier {
    bool Round::*is_done;
    void (FarRounds::*carry)(Round& round);
    std::vector<std::unique_ptr<Transfer>> under_way;
    bool is_busy = false;
    std::thread thread;
  };

  void serve(Carrier& carrier);
  void send_round(Round& round);
  void receive_round(Round& round);
  void make_room(Round& round, int64_t place, const at::Tensor& like);
  void move(Carrier& carrier, FarRows::Piece& piece, const Start& start);
  void wait_until(Lock& lock, const std::function<bool()>& is_so);
  void stop(const std::exception_ptr& failure);

  Group& group_;
  PagedMemory& memory_;
  const std::vector<int64_t> bounds_;
  FarRows rows_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  bool has_asked_ = false, ends_ = false;
  std::exception_ptr failure_;                 ///< why nothing moves any more
  std::deque<std::shared_ptr<Round>> rounds_;  ///< that are not over
  int64_t sent_ = 0;
  Carrier sender_, receiver_;
};

}  // namespace ordered_gnn::scale
