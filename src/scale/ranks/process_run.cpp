#include "scale/ranks/process_run.h"

#include <torch/types.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/non_copyable.h"
#include "scale/engines/gloo.h"
#include "scale/engines/nccl.h"
#include "scale/ranks/host_name.h"
#include "scale/ranks/rank_progress.h"

namespace ordered_gnn::scale {
namespace {

using std::chrono::milliseconds;

// Ranks of a cluster do not start at the same moment.
constexpr milliseconds kArrival{60000};

std::unique_ptr<Watch> make_watch(
    const ProcessTask& task, const MeetingPlace& place,
    std::function<void(const LostRank&)> on_lost) {
  WatchTimes times;
  // What the engine says of a rank that does not come is better.
  times.arrival = kArrival + times.silence;
  return std::make_unique<Watch>(
      open_board(place, kArrival),
      Watch::Member{task.rank.rank, task.rank.size, host_name()},
      rank_progress(), std::move(on_lost), times);
}

std::unique_ptr<Group> make_group(const ProcessTask& task,
                                  const MeetingPlace& place) {
  if (task.options.execution.device == Device::cuda) {
    const std::unique_ptr<Board> board = open_board(place, kArrival);
    return make_nccl_group({task.rank.rank, task.rank.size,
                            task.rank.index_here, board.get(), kArrival});
  }
  GlooOptions options;
  options.rank = task.rank.rank;
  options.size = task.rank.size;
  options.place = place;
  options.interface = task.interface;
  options.patience = kArrival;
  return make_gloo_group(options);
}

// Calls `body`; when another rank is the reason that it fails, waits for the
// watch to say which and end the process.
void watched(Watch& watch, bool tells_others,
             const std::function<void()>& body) {
  try {
    body();
  } catch (const ConnectionLost& lost) {
    watch.connection_broke();
    std::this_thread::sleep_for(std::chrono::seconds(20));
    fail("a connection to another rank broke ({}), and nobody knows which",
         lost.what());
  } catch (const Interrupted&) {
    throw;  // all have been told to stop
  } catch (const std::exception& error) {
    if (tells_others) watch.fail_for(error.what());
    throw;
  }
}

// Sees to processes that this one has started, until it goes.
class ChildWatch : NonCopyable {
 public:
  ChildWatch(SpawnedRanks& ranks, Watch& watch)
      : thread_([this, &ranks, &watch] {
          while (!ends_) {
            const std::string failure = ranks.failure();
            if (!failure.empty()) {
              watch.saw_end(failure);
              return;
            }
            std::this_thread::sleep_for(milliseconds(50));
          }
        }) {}
  ~ChildWatch() {
    ends_ = true;
    thread_.join();
  }

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

}  // namespace

void run_first_rank(const ProcessTask& task,
                    const std::function<void(Group& group)>& body) {
  MeetingPlace place = task.rank.place;
  const BoardServer server(place);
  place.port = server.port();
  std::optional<SpawnedRanks> children;
  if (!task.spawn.empty()) {
    children.emplace(task.spawn, task.rank.size, place);
  }
  const std::unique_ptr<Watch> watch =
      make_watch(task, place, [&](const LostRank& lost) {
        if (children) children->end_all();
        task.on_lost(lost);
      });
  std::optional<ChildWatch> child_watch;
  if (children) child_watch.emplace(*children, *watch);
  watched(*watch, /*tells_others=*/!children, [&] {
    const std::unique_ptr<Group> group = make_group(task, place);
    // Nobody may miss the board before all have left it.
    const auto say_farewell = [&] {
      at::Tensor word = torch::zeros({1}, torch::kByte);
      for (int64_t r = 1; r < group->size(); ++r) group->receive(word, r);
      child_watch.reset();
      watch->finish();
      if (children) children->wait();
    };
    try {
      body(*group);
    } catch (const Interrupted&) {
      say_farewell();
      throw;
    }
    say_farewell();
  });
}

void run_other_rank(const ProcessTask& task) {
  const std::unique_ptr<Watch> watch =
      make_watch(task, task.rank.place, task.on_lost);
  watched(*watch, /*tells_others=*/true, [&] {
    const std::unique_ptr<Group> group = make_group(task, task.rank.place);
    std::signal(SIGINT, SIG_IGN);
    std::signal(SIGTERM, SIG_IGN);
    serve_parts({*group, task.folder, task.manifest, task.options, task.threads,
                 task.wire, task.spill, task.rank.index_here});
    watch->finish();
    try {
      group->send(torch::zeros({1}, torch::kByte), 0);
    } catch (const ConnectionLost&) {
      // Rank 0 is done and gone.
    }
  });
}

}  // namespace ordered_gnn::scale
