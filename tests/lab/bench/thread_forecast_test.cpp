#include "lab/bench/thread_forecast.h"

#include <gtest/gtest.h>

namespace ordered_gnn::lab {
namespace {

using core::TraceEvent;
using Kind = TraceEvent::Kind;

// Times in milliseconds; a thread is busy all the time.
TraceEvent event(Kind kind, const char* name, int64_t block, int thread,
                 double start, double duration) {
  return {kind,        name,           block,         thread,
          start * 1e3, duration * 1e3, duration * 1e3};
}

// 10 ms on one thread: an op of 8 with a loop of four blocks of 1, 1, 2 and 2,
// then an op of 1.
std::vector<TraceEvent> epoch() {
  return {event(Kind::block, "layer", 0, 0, 1, 1),
          event(Kind::block, "layer", 1, 0, 2, 1),
          // A nested loop is a part of its block.
          event(Kind::block, "layer", 0, 0, 3, 1),
          event(Kind::loop, "layer", 2, 0, 3, 2),
          event(Kind::block, "layer", 2, 0, 3, 2),
          event(Kind::block, "layer", 3, 0, 5, 2),
          event(Kind::loop, "layer", 4, 0, 1, 6),
          event(Kind::op, "layer", 0, 0, 0, 8),
          event(Kind::op, "adam", 0, 0, 8.5, 1)};
}

TEST(ThreadForecast, IsTheEpochItselfOnOneThread) {
  EXPECT_NEAR(forecast(epoch(), 10, 1).ms, 10, 1e-9);
}

TEST(ThreadForecast, HandsBlocksToWhoeverIsFree) {
  // 4 ms are no loop; two threads take 1 + 2 each, four as long as a block.
  EXPECT_NEAR(forecast(epoch(), 10, 2).ms, 4 + 3, 1e-9);
  EXPECT_NEAR(forecast(epoch(), 10, 4).ms, 4 + 2, 1e-9);
  EXPECT_NEAR(forecast(epoch(), 10, 64).ms, 4 + 2, 1e-9);
}

TEST(ThreadForecast, WithoutLoopsThreadsDoNotHelp) {
  EXPECT_NEAR(forecast({}, 3, 16).ms, 3, 1e-9);
}

TEST(ThreadForecast, SerialPiecesAreOutsideOfLoopsAndInnerOps) {
  const std::vector<SerialPiece> pieces = serial_pieces(epoch(), 10, 2);
  ASSERT_EQ(pieces.size(), 2u);
  EXPECT_EQ(pieces[0].op, "layer");
  EXPECT_NEAR(pieces[0].ms, 2, 1e-9);
  EXPECT_NEAR(pieces[1].ms, 1, 1e-9);
  EXPECT_EQ(serial_pieces(epoch(), 10, 9).size(), 3u);
}

}  // namespace
}  // namespace ordered_gnn::lab
