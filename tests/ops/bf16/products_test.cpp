// Products of bfloat16 numbers to the bit: every instruction set gives what a
// plain reference of the instruction gives, at shapes around the bounds of its
// tiles.
#include "ops/cpu/bf16/products.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "core/bf16_level.h"
#include "ops/cpu/kernels/bf16/convert.h"
#include "ops/cpu/scratch.h"
#include "ops/op_checks.h"
#include "ordered_gnn/core/parallel.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

using core::Bf16Level;

class RestoreBf16Level {
 public:
  RestoreBf16Level() : level_(core::bf16_level()) {}
  ~RestoreBf16Level() { core::force_bf16_level(level_); }

 private:
  const Bf16Level level_;
};

float without_small(float x) {
  return std::fpclassify(x) == FP_SUBNORMAL ? std::copysign(0.0f, x) : x;
}

// a * b + c with one rounding, where numbers too small for a normal float count
// and end as zeros. Products of bfloat16 numbers, and sums of those and floats,
// are exact in double.
float fused(float a, float b, float c) {
  const double sum = static_cast<double>(without_small(a)) *
                         static_cast<double>(without_small(b)) +
                     static_cast<double>(without_small(c));
  const bool is_small = std::abs(sum) < 0x1.ffffffp-127;
  const auto result = static_cast<float>(sum);
  return is_small ? std::copysign(0.0f, result) : result;
}

// c[i][j] += a[i] . b[j] as TDPBF16PS does it, 32 numbers at a time.
float tile_sum(const float* a, const float* b, int64_t depth, float c) {
  for (int64_t first = 0; first < depth; first += 32) {
    float even = 0, odd = 0;
    for (int64_t k = first; k < std::min(first + 32, depth); k += 2) {
      even = fused(a[k], b[k], even);
      if (k + 1 < depth) odd = fused(a[k + 1], b[k + 1], odd);
    }
    c = fused(1, fused(1, even, odd), c);
  }
  return c;
}

// The same as VDPBF16PS does it.
float dot_sum(const float* a, const float* b, int64_t depth, float c) {
  for (int64_t k = 0; k < depth; k += 2) {
    if (k + 1 < depth) c = fused(a[k + 1], b[k + 1], c);
    c = fused(a[k], b[k], c);
  }
  return c;
}

// start + a b^T for a[N, K] and b[O, K], all floats.
at::Tensor expected_sums(const at::Tensor& a, const at::Tensor& b,
                         const at::Tensor& start, bool by_dots) {
  const at::Tensor out = start.clone();
  const int64_t depth = a.size(1), columns = b.size(0);
  for (int64_t i = 0; i < a.size(0); ++i) {
    for (int64_t j = 0; j < columns; ++j) {
      float& sum = out.data_ptr<float>()[i * columns + j];
      sum = (by_dots ? dot_sum : tile_sum)(a.data_ptr<float>() + i * depth,
                                           b.data_ptr<float>() + j * depth,
                                           depth, sum);
    }
  }
  return out;
}

// Numbers of bfloat16 as floats; `smallest` is about 2 to that power.
at::Tensor numbers(at::IntArrayRef sizes, uint64_t seed, int smallest = 0) {
  const at::Tensor uniform = random_tensor(sizes, at::kFloat, seed);
  const at::Tensor shift =
      random_tensor(sizes, at::kFloat, seed + 1, smallest - 1, 1).floor();
  return (uniform * at::exp2(shift)).to(at::kBFloat16).to(at::kFloat);
}

at::Tensor sums_here(const at::Tensor& a, const at::Tensor& b,
                     const at::Tensor& start) {
  const at::Tensor rows = a.to(at::kBFloat16);
  const at::Tensor room = at::full({start.size(0) + 2, start.size(1) + 3},
                                   std::numeric_limits<float>::quiet_NaN());
  const at::Tensor out =
      room.narrow(0, 1, start.size(0)).narrow(1, 1, start.size(1));
  out.copy_(start);
  const at::Tensor untouched = room.isnan();
  cpu::bf16::add_product(
      {cpu::values_of<kernels::Bf16>(rows), a.size(0), a.size(1)},
      cpu::bf16::packed_transposed(b), out.data_ptr<float>(), out.stride(0));
  EXPECT_TRUE(torch::equal(room.isnan(), untouched)) << "wrote beyond its rows";
  return out.contiguous();
}

// The same sums, rounded; `start` has a row for each of them or one for all.
at::Tensor rounded_here(const at::Tensor& a, const at::Tensor& b,
                        const at::Tensor& start) {
  const at::Tensor rows = a.to(at::kBFloat16);
  const int64_t count = a.size(0) * b.size(0), beyond = 16;
  const at::Tensor room = at::full({count + 2 * beyond}, 7, at::kBFloat16);
  const at::Tensor before = start.clone();
  cpu::bf16::round_product(
      {cpu::values_of<kernels::Bf16>(rows), a.size(0), a.size(1)},
      cpu::bf16::packed_transposed(b), start.data_ptr<float>(),
      start.dim() == 2 ? start.size(1) : 0,
      cpu::values_of<kernels::Bf16>(room) + beyond);
  EXPECT_TRUE(torch::equal(start, before)) << "wrote what it only reads";
  EXPECT_TRUE((room.narrow(0, 0, beyond) == 7).all().item<bool>());
  EXPECT_TRUE((room.narrow(0, beyond + count, beyond) == 7).all().item<bool>());
  return room.narrow(0, beyond, count).view({a.size(0), b.size(0)});
}

bool have_same_bits(const at::Tensor& a, const at::Tensor& b) {
  return torch::equal(a.view(at::kShort), b.view(at::kShort));
}

struct Shape {
  int64_t rows, columns, depth;
};
constexpr Shape kShapes[] = {{1, 1, 1},    {3, 5, 2},    {16, 16, 32},
                             {15, 17, 31}, {17, 15, 33}, {32, 32, 64},
                             {33, 65, 70}, {48, 3, 300}, {100, 64, 128}};

void expect_bits(bool by_dots) {
  uint64_t seed = 10;
  for (const int smallest : {0, -60, -126}) {
    for (const Shape& shape : kShapes) {
      SCOPED_TRACE(testing::Message()
                   << shape.rows << " rows, " << shape.columns << " columns, "
                   << shape.depth << " deep, from 2^" << smallest);
      const at::Tensor a = numbers({shape.rows, shape.depth}, ++seed, smallest);
      const at::Tensor b =
          numbers({shape.columns, shape.depth}, seed + 1000, smallest);
      const at::Tensor start =
          random_tensor({shape.rows, shape.columns}, at::kFloat, seed + 2000) *
          std::exp2(smallest);
      const at::Tensor got = sums_here(a, b, start);
      const at::Tensor expected = expected_sums(a, b, start, by_dots);
      EXPECT_TRUE(torch::equal(got.view(at::kInt), expected.view(at::kInt)));
      EXPECT_TRUE(have_same_bits(rounded_here(a, b, start),
                                 expected.to(at::kBFloat16)));
      const at::Tensor row = start[0].contiguous();
      const at::Tensor from_row =
          expected_sums(a, b, row.expand_as(start).contiguous(), by_dots);
      EXPECT_TRUE(
          have_same_bits(rounded_here(a, b, row), from_row.to(at::kBFloat16)));
    }
  }
}

TEST(Bf16Product, PlainCodeGivesTheBitsOfTiles) {
  const RestoreBf16Level restore;
  core::force_bf16_level(Bf16Level::plain);
  for_every_simd_level([] { expect_bits(/*by_dots=*/false); });
}

TEST(Bf16Product, TilesGiveTheBitsOfTiles) {
  if (core::best_bf16_level() < Bf16Level::tiles) {
    GTEST_SKIP() << "this CPU or system has no AMX";
  }
  const RestoreBf16Level restore;
  core::force_bf16_level(Bf16Level::tiles);
  expect_bits(/*by_dots=*/false);
}

TEST(Bf16Product, DotProductsAddStraightToTheSum) {
  if (core::best_bf16_level() < Bf16Level::dots) {
    GTEST_SKIP() << "this CPU has no AVX512-BF16";
  }
  const RestoreBf16Level restore;
  core::force_bf16_level(Bf16Level::dots);
  expect_bits(/*by_dots=*/true);
}

// Every number there is, those between two of them, and what is none.
TEST(Bf16Product, NumbersAreRoundedAsLibTorchDoes) {
  const at::Tensor bits = at::arange(1 << 16, at::kInt) * 65536;
  std::vector<at::Tensor> cases;
  for (const int low : {0, 1, 0x7fff, 0x8000, 0x8001, 0xffff}) {
    cases.push_back(bits + low);
  }
  const at::Tensor words = at::cat(cases).contiguous();
  const at::Tensor floats = at::empty({words.numel()}, at::kFloat);
  std::memcpy(floats.data_ptr<float>(), words.data_ptr<int>(), words.nbytes());
  const at::Tensor expected = floats.to(at::kBFloat16);
  for_every_simd_level([&] {
    for (const int64_t count : {floats.numel(), int64_t{37}}) {
      const at::Tensor got = at::zeros_like(expected);
      const at::Tensor both = floats.clone();
      const at::Tensor again = at::zeros_like(expected);
      auto* const out = cpu::values_of<kernels::Bf16>(got);
      auto* const second = cpu::values_of<kernels::Bf16>(again);
      ORDERED_GNN_SIMD_CALL(narrow(floats.data_ptr<float>(), count, out));
      ORDERED_GNN_SIMD_CALL(narrow_both(both.data_ptr<float>(), count, second));
      // Any of the bits that stand for no number will do.
      const at::Tensor is_number =
          expected.narrow(0, 0, count).to(at::kFloat).isnan().logical_not();
      const auto bits_of = [&](const at::Tensor& x) {
        return x.narrow(0, 0, count).view(at::kShort).masked_select(is_number);
      };
      EXPECT_TRUE(torch::equal(bits_of(got), bits_of(expected)));
      EXPECT_TRUE(torch::equal(bits_of(again), bits_of(expected)));
      EXPECT_TRUE(at::allclose(both.narrow(0, 0, count),
                               expected.narrow(0, 0, count).to(at::kFloat), 0,
                               0, /*equal_nan=*/true));
    }
  });
}

TEST(Bf16Product, GradientsOfAWeightAreSumsOverRows) {
  for (const int64_t rows : {0, 1, 31, 257, 2500}) {
    SCOPED_TRACE(rows);
    const at::Tensor grad = numbers({rows, 19}, 5), x = numbers({rows, 37}, 7);
    const at::Tensor got =
        cpu::bf16::weight_gradient(grad.to(at::kBFloat16), x.to(at::kBFloat16));
    const at::Tensor expected =
        at::matmul(grad.to(at::kDouble).t(), x.to(at::kDouble));
    EXPECT_EQ(got.scalar_type(), at::kFloat);
    EXPECT_TRUE(at::allclose(got.to(at::kDouble), expected, 1e-4, 1e-4));
  }
}

TEST(Bf16Product, IsTheSameBitsForAnyNumberOfThreads) {
  const at::Tensor x = numbers({5003, 65}, 12).to(at::kBFloat16);
  const at::Tensor grad = numbers({5003, 33}, 13).to(at::kBFloat16);
  const at::Tensor weight = random_tensor({33, 65}, at::kFloat, 14);
  const at::Tensor bias = random_tensor({33}, at::kFloat, 15);
  const auto products = [&] {
    return std::vector<at::Tensor>{cpu::bf16::affine(x, weight, bias),
                                   cpu::bf16::input_gradient(grad, weight),
                                   cpu::bf16::weight_gradient(grad, x),
                                   cpu::bf16::column_sums(grad)};
  };
  set_num_threads(1);
  const std::vector<at::Tensor> expected = products();
  for (const int threads : {2, 5}) {
    set_num_threads(threads);
    const std::vector<at::Tensor> got = products();
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(torch::equal(got[i], expected[i]))
          << "product " << i << " with " << threads << " threads";
    }
  }
  set_num_threads(0);
}

}  // namespace
}  // namespace ordered_gnn
