// Rows into messages and out of them, with every instruction set.
#include "scale/ranks/row_moves.h"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <torch/types.h>

#include <utility>

#include "core/simd.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kRows = 9;
constexpr float kUntouched = -7;

class RowMoves : public ::testing::TestWithParam<core::SimdLevel> {
 protected:
  void SetUp() override {
    if (GetParam() > core::best_simd_level()) {
      GTEST_SKIP() << "this CPU lacks the instructions";
    }
    core::force_simd_level(GetParam());
  }
  void TearDown() override { core::force_simd_level(before_); }

  static RowLayout layout_of(double rate, int64_t dim) {
    if (rate == 0) return RowLayout(dim);
    core::RowKnowledge known;
    known.rate = rate;
    known.key = {5, 3};
    std::vector<int64_t> nodes;
    for (int64_t r = 0; r < kRows; ++r) nodes.push_back(11 * r + 2);
    return {nodes, dim, known};
  }

  // The row of node r goes to the place behind the last but r, and back to slot
  // r + 1 of a larger matrix.
  static void check_there_and_back(const RowLayout& layout, int64_t dim,
                                   at::ScalarType rows, at::ScalarType wire) {
    const at::Tensor matrix = torch::rand({kRows, dim}, rows) + 1;
    // A number behind the message shows who writes too far.
    const at::Tensor message =
        torch::full({layout.begin(kRows) + 1}, kUntouched, wire);
    const at::Tensor result = torch::full({kRows + 2, dim}, kUntouched, rows);
    std::vector<PartRoutes::Pack> packs;
    std::vector<PartRoutes::Take> takes;
    for (int64_t r = 0; r < kRows; ++r) {
      packs.push_back({r, kRows - 1 - r});
      takes.push_back({r + 1, -1, kRows - 1 - r});
    }
    pack_rows(layout, matrix, packs, message);
    unpack_rows(layout, message, {takes.data(), takes.data() + takes.size()},
                result);
    const at::Tensor travelled = matrix.to(wire).to(rows);
    at::Tensor expected = torch::zeros({kRows, dim}, rows);
    for (int64_t r = 0; r < kRows; ++r) {
      layout.for_row(kRows - 1 - r, [&](int64_t column, int64_t) {
        expected[r][column] = travelled[r][column];
      });
    }
    EXPECT_TRUE(result.narrow(0, 1, kRows).equal(expected));
    EXPECT_EQ(message[-1].item<float>(), kUntouched);
    EXPECT_TRUE(result[0].eq(kUntouched).all().item<bool>());
    EXPECT_TRUE(result[-1].eq(kUntouched).all().item<bool>());
  }

 private:
  const core::SimdLevel before_ = core::simd_level();
};

TEST_P(RowMoves, GiveBackWhatTravelsAndZeros) {
  using Types = std::pair<at::ScalarType, at::ScalarType>;
  for (const auto& [rows, wire] :
       {Types{at::kFloat, at::kFloat}, Types{at::kFloat, at::kBFloat16},
        Types{at::kDouble, at::kDouble}}) {
    for (const int64_t dim : {1, 15, 16, 63, 64, 65, 130}) {
      for (const double rate : {0.0, 0.3, 0.9}) {
        SCOPED_TRACE(fmt::format("{} numbers, {} dropped", dim, rate));
        check_there_and_back(layout_of(rate, dim), dim, rows, wire);
      }
    }
  }
}

TEST_P(RowMoves, PackARowWithoutTheNextOne) {
  const RowLayout layout = layout_of(0.5, 70);
  const at::Tensor matrix = torch::rand({kRows, 70}) + 1;
  const at::Tensor message = torch::full({layout.begin(kRows)}, kUntouched);
  pack_rows(layout, matrix, {{4, 4}}, message);
  const int64_t first = layout.begin(4), last = layout.begin(5);
  EXPECT_TRUE(message.narrow(0, first, last - first).gt(0).all().item<bool>());
  EXPECT_EQ(message.eq(kUntouched).sum().item<int64_t>(),
            message.numel() - (last - first));
}

TEST_P(RowMoves, RoundRowsOfTheSameRankAsMessagesDo) {
  const at::Tensor from = torch::rand({3, 20});
  const at::Tensor to = torch::zeros({3, 20});
  const std::vector<PartRoutes::Take> takes = {{2, 0, 1}, {0, 0, 2}};
  const TakeRun both = {takes.data(), takes.data() + takes.size()};
  copy_rows(from, both, to, at::kBFloat16);
  const at::Tensor rounded = from.to(at::kBFloat16).to(at::kFloat);
  EXPECT_TRUE(to[2].equal(rounded[1]) && to[0].equal(rounded[2]));
  copy_rows(from, both, to, at::kFloat);
  EXPECT_TRUE(to[2].equal(from[1]) && to[0].equal(from[2]));
  EXPECT_TRUE(to[1].eq(0).all().item<bool>());
}

INSTANTIATE_TEST_SUITE_P(Levels, RowMoves,
                         ::testing::Values(core::SimdLevel::baseline,
                                           core::SimdLevel::avx2,
                                           core::SimdLevel::avx512));

}  // namespace
}  // namespace ordered_gnn::scale
