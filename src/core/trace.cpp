#include "core/trace.h"

#include <ctime>
#include <deque>
#include <mutex>

namespace ordered_gnn::core {
namespace {

struct TraceLog {
  std::mutex mutex;
  TraceClock::time_point begin;
  // Not in one piece: of a vector that grows, whole epochs would be moved while
  // a loop waits.
  std::deque<TraceEvent> events;
};

TraceLog& trace_log() {
  static TraceLog log;
  return log;
}

struct OpenOp {
  std::string name;
  TraceMoment start;
};

std::vector<OpenOp>& open_ops() {
  thread_local std::vector<OpenOp> ops;
  return ops;
}

int thread_number() {
  static std::atomic<int> next{0};
  thread_local const int number = next++;
  return number;
}

double microseconds(TraceClock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

}  // namespace

std::atomic<bool> trace_is_on{false};

TraceMoment traced_moment() {
  timespec busy = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &busy);
  return {TraceClock::now(), 1e6 * static_cast<double>(busy.tv_sec) +
                                 1e-3 * static_cast<double>(busy.tv_nsec)};
}

void start_trace() {
  thread_number();
  TraceLog& log = trace_log();
  const std::lock_guard<std::mutex> lock(log.mutex);
  log.events.clear();
  log.begin = TraceClock::now();
  trace_is_on = true;
}

std::vector<TraceEvent> stop_trace() {
  trace_is_on = false;
  TraceLog& log = trace_log();
  const std::lock_guard<std::mutex> lock(log.mutex);
  std::vector<TraceEvent> events(log.events.begin(), log.events.end());
  log.events.clear();
  return events;
}

void enter_traced_op(std::string name) {
  open_ops().push_back({std::move(name), traced_moment()});
}

void leave_traced_op() {
  std::vector<OpenOp>& ops = open_ops();
  if (ops.empty()) return;
  const OpenOp op = std::move(ops.back());
  ops.pop_back();
  add_traced(TraceEvent::Kind::op, op.name, 0, op.start);
}

std::string traced_op() {
  return open_ops().empty() ? "" : open_ops().back().name;
}

void add_traced(TraceEvent::Kind kind, const std::string& name, int64_t block,
                const TraceMoment& start) {
  const TraceMoment end = traced_moment();
  const int thread = thread_number();
  TraceLog& log = trace_log();
  const std::lock_guard<std::mutex> lock(log.mutex);
  // What began before the trace, or ends after it, is no part of it.
  if (!is_traced() || start.time < log.begin) return;
  log.events.push_back(
      {kind, name, block, thread, microseconds(start.time - log.begin),
       microseconds(end.time - start.time), end.busy - start.busy});
}

}  // namespace ordered_gnn::core
