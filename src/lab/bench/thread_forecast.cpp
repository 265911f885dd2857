#include "lab/bench/thread_forecast.h"

#include <algorithm>
#include <functional>
#include <map>
#include <queue>

namespace ordered_gnn::lab {
namespace {

using core::TraceEvent;

double end_of(const TraceEvent& event) { return event.start + event.duration; }

// Outer events before those within them.
std::vector<const TraceEvent*> in_order(const std::vector<TraceEvent>& events) {
  std::vector<const TraceEvent*> out;
  for (const TraceEvent& event : events) out.push_back(&event);
  std::stable_sort(out.begin(), out.end(),
                   [](const TraceEvent* a, const TraceEvent* b) {
                     if (a->start != b->start) return a->start < b->start;
                     return a->duration > b->duration;
                   });
  return out;
}

bool is_shared(const TraceEvent& event) {
  return event.kind == TraceEvent::Kind::loop && event.block > 1;
}

// A loop that threads share and that is in no other, with the processor time
// of its blocks in the order in which they began.
struct Loop {
  const TraceEvent* event = nullptr;
  std::vector<double> blocks;
};

std::vector<Loop> shared_loops(const std::vector<TraceEvent>& events) {
  std::vector<Loop> loops;
  std::map<int, double> inside;  // by thread, the end of a block
  for (const TraceEvent* event : in_order(events)) {
    const bool within =
        !loops.empty() && event->start < end_of(*loops.back().event);
    if (is_shared(*event) && !within) {
      loops.push_back({event, {}});
      inside.clear();
    } else if (event->kind == TraceEvent::Kind::block && within) {
      // Blocks of nested loops are a part of those around them.
      double& end = inside[event->thread];
      if (event->start < end) continue;
      end = end_of(*event);
      loops.back().blocks.push_back(event->busy);
    }
  }
  return loops;
}

// When the last of `threads` threads is done with the blocks.
double time_of(const std::vector<double>& blocks, int threads) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (int i = 0; i < threads; ++i) free.push(0);
  double last = 0;
  for (const double block : blocks) {
    const double end = free.top() + block;
    free.pop();
    free.push(end);
    last = std::max(last, end);
  }
  return last;
}

}  // namespace

ThreadForecast forecast(const std::vector<TraceEvent>& events, double busy_ms,
                        int threads) {
  double us = 1e3 * busy_ms;
  for (const Loop& loop : shared_loops(events)) {
    us += time_of(loop.blocks, threads) - loop.event->busy;
  }
  return {threads, us / 1e3};
}

std::vector<SerialPiece> serial_pieces(const std::vector<TraceEvent>& events,
                                       double busy_ms, size_t count) {
  std::map<std::string, double> alone = {{"", busy_ms}};
  std::vector<const TraceEvent*> open;  // on the calling thread
  double loop_end = 0;
  for (const TraceEvent* event : in_order(events)) {
    const bool is_op = event->kind == TraceEvent::Kind::op;
    if (event->thread != 0 || event->start < loop_end) continue;
    if (!is_op && !is_shared(*event)) continue;
    while (!open.empty() && end_of(*open.back()) <= event->start) {
      open.pop_back();
    }
    alone[open.empty() ? "" : open.back()->name] -= event->busy / 1e3;
    if (is_op) {
      alone[event->name] += event->busy / 1e3;
      open.push_back(event);
    } else {
      loop_end = end_of(*event);
    }
  }
  std::vector<SerialPiece> out;
  for (const auto& [op, ms] : alone) out.push_back({op, ms});
  std::sort(out.begin(), out.end(),
            [](const auto& a, const auto& b) { return a.ms > b.ms; });
  out.resize(std::min(out.size(), count));
  return out;
}

}  // namespace ordered_gnn::lab
