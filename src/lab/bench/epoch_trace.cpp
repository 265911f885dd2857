#include "lab/bench/epoch_trace.h"

#include <ATen/record_function.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/io/file.h"
#include "core/names.h"
#include "core/trace.h"
#include "ordered_gnn/core/non_copyable.h"

namespace ordered_gnn::lab {
namespace {

using core::TraceEvent;

constexpr int kMostForecast = 64;
constexpr size_t kPieces = 6;

// While it lives, every op that goes through LibTorch's dispatcher is traced.
class TracedOps : NonCopyable {
 public:
  TracedOps()
      : handle_(at::addGlobalCallback(
            at::RecordFunctionCallback(&entered, &left)
                .scopes({at::RecordScope::FUNCTION,
                         at::RecordScope::BACKWARD_FUNCTION}))) {}
  ~TracedOps() { at::removeCallback(handle_); }

 private:
  static std::unique_ptr<at::ObserverContext> entered(
      const at::RecordFunction& function) {
    core::enter_traced_op(function.name());
    return nullptr;
  }
  static void left(const at::RecordFunction& /*function*/,
                   at::ObserverContext* /*context*/) {
    core::leave_traced_op();
  }

  const at::CallbackHandle handle_;
};

const char* category(TraceEvent::Kind kind) {
  return core::word_of(kind, {{TraceEvent::Kind::op, "op"},
                              {TraceEvent::Kind::loop, "loop"},
                              {TraceEvent::Kind::block, "block"}});
}

nlohmann::json chrome_trace(const std::vector<TraceEvent>& events) {
  nlohmann::json list = nlohmann::json::array();
  for (const TraceEvent& event : events) {
    nlohmann::json entry = {{"name", event.name.empty() ? "?" : event.name},
                            {"cat", category(event.kind)},
                            {"ph", "X"},
                            {"ts", event.start},
                            {"dur", event.duration},
                            {"tdur", event.busy},
                            {"pid", 1},
                            {"tid", event.thread}};
    if (event.kind == TraceEvent::Kind::block) {
      entry["args"] = {{"block", event.block}};
    } else if (event.kind == TraceEvent::Kind::loop) {
      entry["args"] = {{"blocks", event.block}};
    }
    list.push_back(std::move(entry));
  }
  return {{"traceEvents", std::move(list)}, {"displayTimeUnit", "ms"}};
}

// Loops of one thread do not overlap: nested ones run as blocks do, and have
// been counted with the one around them.
double shared_microseconds(const std::vector<TraceEvent>& events) {
  double sum = 0;
  for (const TraceEvent& event : events) {
    if (event.kind == TraceEvent::Kind::loop && event.block > 1) {
      sum += event.duration;
    }
  }
  return sum;
}

}  // namespace

TraceSummary trace_epoch(const std::function<void()>& epoch,
                         const std::filesystem::path& file) {
  const TracedOps ops;
  core::start_trace();
  const core::TraceMoment start = core::traced_moment();
  epoch();
  const core::TraceMoment end = core::traced_moment();
  const std::vector<TraceEvent> events = core::stop_trace();
  core::write_file(file, chrome_trace(events).dump() + "\n");
  const double total =
      std::chrono::duration<double, std::micro>(end.time - start.time).count();
  const double busy_ms = (end.busy - start.busy) / 1e3;
  TraceSummary summary;
  if (total > 0) summary.serial_share = 1 - shared_microseconds(events) / total;
  for (int threads = 1; threads <= kMostForecast; threads *= 2) {
    summary.forecasts.push_back(forecast(events, busy_ms, threads));
  }
  summary.pieces = serial_pieces(events, busy_ms, kPieces);
  return summary;
}

}  // namespace ordered_gnn::lab
