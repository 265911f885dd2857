// Products of matrices with many rows on the GPU against the same in double, at
// shapes around the tiles, chunks and stages of its kernels.
#include <algorithm>
#include <cmath>
#include <functional>

#include "cuda/cuda_support.h"
#include "ops/cuda/products.h"

namespace ordered_gnn {
namespace {

class CudaProduct : public CudaTest {};

constexpr int64_t kRows[] = {1023, 1025, 2049, 4127, 8449, 19717, 25411};
struct Widths {
  int64_t inputs, outputs;
};
constexpr Widths kWidths[] = {{4, 5},    {36, 64},   {64, 256}, {100, 68},
                              {132, 40}, {260, 130}, {512, 64}, {256, 256},
                              {37, 64},  {640, 4},   {64, 5}};

at::Tensor on_gpu(c10::IntArrayRef size, int64_t seed) {
  return uniform(size, seed).to(at::kFloat).cuda();
}

at::Tensor in_double(const at::Tensor& x) { return x.cpu().to(at::kDouble); }

// || got - expected || / || expected ||, which for float is some 1e-7.
void expect_as_exact(const at::Tensor& got, const at::Tensor& expected) {
  ASSERT_EQ(got.sizes(), expected.sizes());
  const double error = (in_double(got) - expected).norm().item<double>() /
                       std::max(expected.norm().item<double>(), 1e-30);
  EXPECT_LT(error, 1e-6);
}

// Twice, for the same bits.
void expect_product(const std::function<at::Tensor()>& product,
                    const at::Tensor& expected) {
  const at::Tensor got = product();
  expect_as_exact(got, expected);
  EXPECT_TRUE(torch::equal(got, product()));
}

TEST_F(CudaProduct, OfManyRows) {
  for (const int64_t rows : kRows) {
    for (const auto& [inputs, outputs] : kWidths) {
      SCOPED_TRACE(std::to_string(rows) + " x " + std::to_string(inputs) +
                   " to " + std::to_string(outputs));
      const at::Tensor x = on_gpu({rows, inputs}, 1),
                       weight = on_gpu({outputs, inputs}, 2),
                       bias = on_gpu({outputs}, 3),
                       grad = on_gpu({rows, outputs}, 4),
                       sum = on_gpu({rows, inputs}, 5);
      const at::Tensor product = in_double(x).mm(in_double(weight).t());
      expect_product([&] { return cuda::affine(x, weight, bias); },
                     product + in_double(bias));
      const at::Tensor back = in_double(grad).mm(in_double(weight));
      expect_product([&] { return cuda::input_gradient(grad, weight); }, back);
      expect_product(
          [&] {
            const at::Tensor total = sum.clone();
            cuda::add_input_gradient(grad, weight, total);
            return total;
          },
          in_double(sum) + back);
      expect_product([&] { return cuda::weight_gradient(grad, x); },
                     in_double(grad).t().mm(in_double(x)));
    }
  }
}

// As of features that are not sparse.
TEST_F(CudaProduct, OfLongRows) {
  for (const int64_t rows : {1025, 9001}) {
    const at::Tensor x = on_gpu({rows, 2089}, 1),
                     aligned = on_gpu({rows, 2092}, 2),
                     weight = on_gpu({64, 2092}, 3), bias = on_gpu({64}, 4);
    const at::Tensor part = weight.narrow(1, 0, 2089);
    expect_product([&] { return cuda::affine(x, part, bias); },
                   in_double(x).mm(in_double(part).t()) + in_double(bias));
    expect_product(
        [&] { return cuda::affine(aligned, weight, bias); },
        in_double(aligned).mm(in_double(weight).t()) + in_double(bias));
  }
}

TEST_F(CudaProduct, OfTwoFactorsSideBySide) {
  for (const int64_t rows : kRows) {
    for (const int64_t width : {4, 20, 64, 128, 256}) {
      SCOPED_TRACE(std::to_string(rows) + " x 2 x " + std::to_string(width));
      const at::Tensor a = on_gpu({rows, width}, 1),
                       b = on_gpu({rows, width}, 2),
                       weight = on_gpu({64, 2 * width}, 3),
                       bias = on_gpu({64}, 4), grad = on_gpu({rows, 64}, 5);
      const at::Tensor both = in_double(at::cat({a, b}, 1));
      expect_product([&] { return cuda::pair_affine(a, b, weight, bias); },
                     both.mm(in_double(weight).t()) + in_double(bias));
      expect_product([&] { return cuda::pair_weight_gradient(grad, a, b); },
                     in_double(grad).t().mm(both));
    }
  }
}

// A part of a wider matrix, aligned or not.
TEST_F(CudaProduct, OfColumnsOfAMatrix) {
  const at::Tensor wide = on_gpu({4127, 203}, 1), weight = on_gpu({40, 96}, 2),
                   grad = on_gpu({4127, 40}, 3), bias = on_gpu({40}, 4);
  const at::Tensor aligned = on_gpu({4127, 204}, 1);
  for (const at::Tensor& matrix : {wide, aligned}) {
    for (const int64_t begin : {0, 3, 4, 100}) {
      SCOPED_TRACE(begin);
      const at::Tensor x = matrix.narrow(1, begin, 96);
      expect_product([&] { return cuda::affine(x, weight, bias); },
                     in_double(x).mm(in_double(weight).t()) + in_double(bias));
      expect_product([&] { return cuda::weight_gradient(grad, x); },
                     in_double(grad).t().mm(in_double(x)));
    }
  }
}

TEST_F(CudaProduct, KeepsWhatIsNotANumberInItsRow) {
  const at::Tensor x = on_gpu({2049, 100}, 1), weight = on_gpu({64, 100}, 2),
                   bias = on_gpu({64}, 3);
  for (const int64_t row : {0, 63, 64, 2048}) x[row][99] = NAN;
  const at::Tensor lost = cuda::affine(x, weight, bias).isnan().cpu();
  EXPECT_EQ(lost.sum().item<int64_t>(), 4 * 64);
  for (const int64_t row : {0, 63, 64, 2048}) {
    EXPECT_TRUE(lost[row].all().item<bool>()) << "row " << row;
  }
}

}  // namespace
}  // namespace ordered_gnn
