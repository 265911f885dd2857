#include "scale/ranks/logits_gather.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "scale/engines/local_group.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kClasses = 3;

// Of one pass: numbers that tell which part and which pass they are of.
at::Tensor logits_of(int64_t part, int64_t rows, int64_t pass) {
  return torch::arange(rows * kClasses, torch::kFloat).view({rows, kClasses}) +
         static_cast<double>(100 * part + 1000 * pass);
}

// What rank 0 has of every pass.
std::vector<at::Tensor> gathered(const std::vector<int64_t>& bounds,
                                 const std::vector<int64_t>& rows,
                                 int64_t passes) {
  const auto ranks = static_cast<int64_t>(bounds.size()) - 1;
  LocalHub hub(ranks);
  std::vector<at::Tensor> results;
  const auto work = [&](int64_t r) {
    const auto group = hub.rank(r);
    LogitsGather gather(
        *group, bounds,
        {rows.begin() + bounds[r], rows.begin() + bounds[r + 1]}, kClasses,
        /*first_tag=*/20);
    for (int64_t pass = 0; pass < passes; ++pass) {
      gather.begin();
      std::vector<std::thread> parts;
      for (int64_t p = bounds[r + 1] - 1; p >= bounds[r]; --p) {
        parts.emplace_back([&, p] {
          gather.give(p - bounds[r], logits_of(p, rows[p], pass));
        });
      }
      for (std::thread& part : parts) part.join();
      const at::Tensor all = gather.take();
      EXPECT_EQ(all.defined(), r == 0);
      if (r == 0) results.push_back(all);
    }
  };
  std::vector<std::thread> others;
  for (int64_t r = 1; r < ranks; ++r) others.emplace_back(work, r);
  work(0);
  for (std::thread& other : others) other.join();
  return results;
}

TEST(LogitsGather, BringsAllPartsInTheirOrderPassAfterPass) {
  const std::vector<int64_t> rows = {4, 0, 7, 1, 0};
  const std::vector<std::vector<int64_t>> shares = {
      {0, 5}, {0, 2, 5}, {0, 1, 4, 5}, {0, 1, 2, 3, 4, 5}};
  for (const auto& bounds : shares) {
    const std::vector<at::Tensor> all = gathered(bounds, rows, /*passes=*/3);
    for (int64_t pass = 0; pass < 3; ++pass) {
      std::vector<at::Tensor> expected;
      for (int64_t p = 0; p < 5; ++p) {
        expected.push_back(logits_of(p, rows[p], pass));
      }
      EXPECT_TRUE(all[pass].equal(torch::cat(expected))) << bounds.size();
    }
  }
}

TEST(LogitsGather, RefusesRowsOfPartsThatARankDoesNotHave) {
  LocalHub hub(1);
  const auto group = hub.rank(0);
  EXPECT_THROW(LogitsGather(*group, {0, 2}, {4, 1, 1}, kClasses, 0),
               std::exception);
}

}  // namespace
}  // namespace ordered_gnn::scale
