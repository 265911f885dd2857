#include "core/thread_share.h"

#include <gtest/gtest.h>

#include <future>
#include <memory>
#include <thread>
#include <vector>

namespace ordered_gnn::core {
namespace {

// A thread that shares until it is let go.
class Sharer {
 public:
  Sharer(int total, int most) {
    std::promise<const ThreadShare*> made;
    auto share = made.get_future();
    thread_ = std::thread([this, &made, total, most] {
      const ThreadShare own(total, most);
      made.set_value(&own);
      end_.get_future().wait();
    });
    share_ = share.get();
  }
  ~Sharer() {
    end_.set_value();
    thread_.join();
  }
  int threads() const { return share_->threads(); }

 private:
  std::promise<void> end_;
  std::thread thread_;
  const ThreadShare* share_ = nullptr;
};

TEST(ThreadShare, TenRunsOnSixteenThreadsLeaveNoneIdle) {
  std::vector<std::unique_ptr<Sharer>> runs;
  for (int i = 0; i < 10; ++i) runs.push_back(std::make_unique<Sharer>(16, 99));
  int sum = 0;
  for (const auto& run : runs) sum += run->threads();
  EXPECT_EQ(sum, 16);
  EXPECT_EQ(runs.front()->threads(), 2);
  EXPECT_EQ(runs.back()->threads(), 1);
  // Shares grow as runs end.
  runs.resize(3);
  EXPECT_EQ(runs[0]->threads(), 6);
  EXPECT_EQ(runs[1]->threads(), 5);
  runs.erase(runs.begin());
  EXPECT_EQ(runs[0]->threads(), 8);
  runs.erase(runs.begin());
  EXPECT_EQ(runs[0]->threads(), 16);
}

TEST(ThreadShare, IsOneThreadAtLeastAndNoMoreThanAreOfUse) {
  const Sharer small(16, 3);
  EXPECT_EQ(small.threads(), 3);
  std::vector<std::unique_ptr<Sharer>> runs;
  for (int i = 0; i < 40; ++i) runs.push_back(std::make_unique<Sharer>(16, 99));
  EXPECT_EQ(small.threads(), 1);
  EXPECT_EQ(runs.back()->threads(), 1);
}

TEST(ThreadShare, IsWhatLoopsTakeUnlessAScopeSaysOtherwise) {
  std::thread([] {
    const ThreadShare own(7, 99);
    EXPECT_EQ(num_threads(), 7);
    const ThreadScope as_before(0);
    EXPECT_EQ(num_threads(), 7);
    const ThreadScope one(1);
    EXPECT_EQ(num_threads(), 1);
  }).join();
}

}  // namespace
}  // namespace ordered_gnn::core
