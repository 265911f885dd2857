#include "scale/ranks/watch.h"

#include <fmt/format.h>

#include "core/io/json_reader.h"
#include "ordered_gnn/core/error.h"
#include "scale/ranks/rank_progress.h"

namespace ordered_gnn::scale {

RankProgress& rank_progress() {
  static RankProgress progress;
  return progress;
}

namespace {

using Clock = std::chrono::steady_clock;

const char* const kFailed = "failed";
const char* const kLost = "lost";
const char* const kTrouble = "trouble";

std::string beat_key(int64_t rank) { return fmt::format("beat/{}", rank); }
std::string answer_key(int64_t rank) { return fmt::format("answer/{}", rank); }
std::string heard_key(int64_t rank) { return fmt::format("heard/{}", rank); }

}  // namespace

Watch::Watch(std::unique_ptr<Board> board, const Member& member,
             const RankProgress& progress,
             std::function<void(const LostRank&)> on_lost,
             const WatchTimes& times)
    : board_(std::move(board)),
      member_(member),
      progress_(progress),
      on_lost_(std::move(on_lost)),
      times_(times),
      others_(member.size) {
  for (Other& other : others_) other.changed = Clock::now();
  answered_ = Clock::now();
  guard_ = std::thread([this] { guard(); });
  // Before the engine meets anyone: who was met and falls silent then is lost,
  // and not late.
  try {
    beat();
  } catch (const std::exception&) {
    // The thread finds that out, too, and tells.
  }
  thread_ = std::thread([this] { work(); });
}

Watch::~Watch() {
  finish();
  guard_.join();
  thread_.join();
}

// Whether the watch is over; waits for that no longer than `time`.
bool Watch::waits_to_end(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  ends_changed_.wait_for(lock, time, [this] { return ends_; });
  return ends_;
}

void Watch::tell_once(const LostRank& lost) {
  if (!has_told_.exchange(true)) on_lost_(lost);
}

void Watch::guard() {
  while (!waits_to_end(times_.look)) {
    if (Clock::now() - answered_.load() <= times_.silence) continue;
    tell_once(
        {fmt::format("rank 0 was lost{}: it has not answered for {} "
                     "seconds",
                     state_text(), times_.silence.count() / 1000)});
    return;
  }
}

void Watch::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  ends_ = true;
  ends_changed_.notify_all();
}

void Watch::fail_for(const std::string& reason) {
  // Rank 0 is told nothing of itself.
  if (member_.rank == 0) finish();
  try {
    board_->write(kFailed,
                  fmt::format("rank {} on {} failed{}: {}", member_.rank,
                              member_.host, state_text(), reason));
    if (member_.rank == 0) wait_for_readers(member_.size - 1);
  } catch (const std::exception&) {
    // Rank 0 is gone: the others notice that themselves.
  }
}

void Watch::connection_broke() { trouble_ = true; }

void Watch::saw_end(const std::string& message) {
  // What a rank said of itself comes first.
  std::this_thread::sleep_for(times_.look);
  try {
    if (board_->read(kFailed)) return;
    board_->write(kLost, message + state_text());
  } catch (const std::exception&) {
    // The board is this process's own: it ends.
  }
}

std::string Watch::state_text() const {
  const int64_t epoch = progress_.epoch, layer = progress_.layer;
  if (epoch == 0) return " before the first epoch";
  return fmt::format(" in epoch {}, layer {}", epoch, layer);
}

void Watch::work() {
  while (!waits_to_end(times_.look)) {
    try {
      look();
      answered_ = Clock::now();
    } catch (const std::exception& error) {
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (ends_) return;
      }
      tell_once(
          {fmt::format("rank 0 was lost{}: {}", state_text(), error.what())});
      return;
    }
  }
}

void Watch::look() {
  for (const char* const name : {kFailed, kLost}) {
    const auto text = board_->read(name);
    if (!text) continue;
    board_->write(heard_key(member_.rank), "yes");
    // All but the one that they are told of.
    if (member_.rank == 0) wait_for_readers(member_.size - 2);
    tell_once({*text, name == kFailed});
    const std::lock_guard<std::mutex> lock(mutex_);
    ends_ = true;
    return;
  }
  if (Clock::now() - last_beat_ >= times_.beat) beat();
  if (trouble_) board_->write(kTrouble, std::to_string(member_.rank));
  if (board_->read(kTrouble)) answer_roll_call();
}

// The board goes with rank 0, and who finds it gone would call rank 0 lost. So
// it stays until so many of the others know better.
void Watch::wait_for_readers(int64_t readers) {
  const auto begin = Clock::now();
  while (Clock::now() - begin < times_.roll_call) {
    int64_t heard = 0;
    for (int64_t r = 1; r < member_.size; ++r) {
      heard += board_->read(heard_key(r)) ? 1 : 0;
    }
    if (heard >= readers) return;
    std::this_thread::sleep_for(times_.look / 4);
  }
}

void Watch::beat() {
  last_beat_ = Clock::now();
  const Json sign = {{"beat", ++beats_}, {"host", member_.host}};
  board_->write(beat_key(member_.rank), sign.dump());
  if (member_.rank == 0) judge_silence();
}

// The latest sign of life of a rank, if it is a new one.
void Watch::hear(int64_t rank) {
  Other& other = others_[rank];
  const auto sign = board_->read(beat_key(rank));
  if (!sign || *sign == other.last) return;
  other.last = *sign;
  other.changed = Clock::now();
  other.host =
      core::parse_json(*sign, "a sign of life").at("host").get<std::string>();
}

void Watch::judge_silence() {
  for (int64_t r = 1; r < member_.size; ++r) {
    hear(r);
    // Ranks do not start at the same moment.
    const auto patience =
        others_[r].last.empty() ? times_.arrival : times_.silence;
    if (Clock::now() - others_[r].changed <= patience) continue;
    declare_lost(r, fmt::format("it has given no sign of life for {} seconds",
                                patience.count() / 1000));
    return;
  }
}

void Watch::answer_roll_call() {
  if (!has_answered_) board_->write(answer_key(member_.rank), "here");
  has_answered_ = true;
  if (member_.rank == 0) call_roll();
}

void Watch::call_roll() {
  if (!has_called_) {
    has_called_ = true;
    called_ = Clock::now();
  }
  if (Clock::now() - called_ < times_.roll_call) return;
  for (int64_t r = 1; r < member_.size; ++r) {
    if (board_->read(answer_key(r))) continue;
    declare_lost(r, "its connection broke and it does not answer");
    return;
  }
  board_->write(kLost,
                fmt::format("a connection between ranks broke{}, though all of "
                            "them answer",
                            state_text()));
}

// All ranks are in the same epoch, and in the same layer or the one beside it.
void Watch::declare_lost(int64_t rank, const std::string& why) {
  hear(rank);
  board_->write(kLost, fmt::format("rank {} on {} was lost{}: {}", rank,
                                   others_[rank].host, state_text(), why));
}

}  // namespace ordered_gnn::scale
