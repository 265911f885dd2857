#pragma once
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "ordered_gnn/core/non_copyable.h"
#include "scale/engines/board.h"

namespace ordered_gnn::scale {

/// How far a rank is.
struct RankProgress {
  std::atomic<int64_t> epoch{0};
  std::atomic<int64_t> layer{0};
};

/// How soon silence counts as death.
struct WatchTimes {
  std::chrono::milliseconds beat{2000};       ///< between signs of life
  std::chrono::milliseconds look{250};        ///< between looks at the board
  std::chrono::milliseconds silence{10000};   ///< after which a rank is lost
  std::chrono::milliseconds arrival{70000};   ///< the same before its first
  std::chrono::milliseconds roll_call{1500};  ///< to answer when asked
};

/// Why a run cannot go on.
struct LostRank {
  std::string message;  ///< which rank, where, when and why
  /// It failed for a reason of its own, which it said; otherwise it is gone.
  bool failed_itself = false;
};

/// Sees to it that no rank waits for one that is gone. Every rank writes signs
/// of life onto the board; rank 0 reads them. When a connection breaks, all are
/// called and who does not answer is lost. Whoever fails by itself says why
/// first. Then every survivor is told the same sentence.
class Watch : NonCopyable {
 public:
  struct Member {
    int64_t rank = 0;
    int64_t size = 1;
    std::string host;
  };

  /// Gives the first sign of life.
  /// @param on_lost  told once, on a thread of the watch. It is to end the
  ///                 process: calls to the engine may never return.
  Watch(std::unique_ptr<Board> board, const Member& member,
        const RankProgress& progress,
        std::function<void(const LostRank&)> on_lost,
        const WatchTimes& times = {});
  ~Watch();

  /// This rank ends for a reason of its own, which the others are told. Rank
  /// 0, with whom the board goes, waits a moment until they have read it.
  void fail_for(const std::string& reason);

  /// A call to the engine failed: all are called, and on_lost follows.
  void connection_broke();

  /// A rank was seen to end, by who started it.
  void saw_end(const std::string& message);

  /// The run is over: silence is no death any more. Waits for no one.
  void finish();

 private:
  void work();
  void guard();
  bool waits_to_end(std::chrono::milliseconds time);
  void tell_once(const LostRank& lost);
  void look();
  void wait_for_readers(int64_t readers);
  void beat();
  void hear(int64_t rank);
  void judge_silence();
  void answer_roll_call();
  void call_roll();
  std::string state_text() const;
  void declare_lost(int64_t rank, const std::string& why);

  struct Other {
    std::string host = "an unknown host";
    std::string last;  ///< sign of life
    std::chrono::steady_clock::time_point changed;
  };

  const std::unique_ptr<Board> board_;
  const Member member_;
  const RankProgress& progress_;
  const std::function<void(const LostRank&)> on_lost_;
  const WatchTimes times_;
  std::vector<Other> others_;  ///< rank 0 knows them
  int64_t beats_ = 0;
  std::chrono::steady_clock::time_point last_beat_, called_;
  bool has_answered_ = false, has_called_ = false;
  std::mutex mutex_;
  std::condition_variable ends_changed_;
  bool ends_ = false;
  std::atomic<bool> trouble_{false};
  std::atomic<bool> has_told_{false};
  /// When the board last answered. A board whose process hangs never does.
  std::atomic<std::chrono::steady_clock::time_point> answered_;
  std::thread thread_, guard_;
};

}  // namespace ordered_gnn::scale
