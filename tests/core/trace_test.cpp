#include "core/trace.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::core {
namespace {

using Kind = TraceEvent::Kind;

int64_t count_of(const std::vector<TraceEvent>& events, Kind kind) {
  return std::count_if(events.begin(), events.end(),
                       [&](const TraceEvent& e) { return e.kind == kind; });
}

TEST(Trace, KeepsNothingUnlessAskedTo) {
  EXPECT_FALSE(is_traced());
  parallel_blocks(4, [](int64_t) {});
  start_trace();
  EXPECT_TRUE(is_traced());
  EXPECT_TRUE(stop_trace().empty());
  EXPECT_FALSE(is_traced());
}

TEST(Trace, NamesLoopsAndBlocksAfterTheOpAroundThem) {
  set_num_threads(2);
  start_trace();
  enter_traced_op("outer");
  enter_traced_op("inner");
  parallel_blocks(50, [](int64_t) {});
  leave_traced_op();
  EXPECT_EQ(traced_op(), "outer");
  leave_traced_op();
  EXPECT_EQ(traced_op(), "");
  const std::vector<TraceEvent> events = stop_trace();
  set_num_threads(0);
  EXPECT_EQ(count_of(events, Kind::op), 2);
  EXPECT_EQ(count_of(events, Kind::loop), 1);
  EXPECT_EQ(count_of(events, Kind::block), 50);
  std::set<int64_t> blocks;
  for (const TraceEvent& event : events) {
    EXPECT_GE(event.start, 0);
    EXPECT_GE(event.duration, 0);
    if (event.kind == Kind::op) continue;
    EXPECT_EQ(event.name, "inner");
    if (event.kind == Kind::block) blocks.insert(event.block);
    if (event.kind == Kind::loop) {
      EXPECT_EQ(event.block, 50);
    }
  }
  EXPECT_EQ(blocks.size(), 50u);
}

TEST(Trace, LeavesOutWhatBeganBefore) {
  enter_traced_op("early");
  start_trace();
  leave_traced_op();
  EXPECT_TRUE(stop_trace().empty());
  leave_traced_op();  // of none that is open
}

}  // namespace
}  // namespace ordered_gnn::core
