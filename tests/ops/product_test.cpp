// The products that linear() and the fused layer are made of, at shapes around
// the bounds of their tiles, stretches, blocks and chunks.
#include <gtest/gtest.h>
#include <torch/types.h>

#include <cmath>
#include <functional>
#include <limits>

#include "ops/cpu/blocks.h"
#include "ops/cpu/gemm.h"
#include "ops/op_checks.h"
#include "ordered_gnn/core/parallel.h"
#include "support/tensors.h"

namespace ordered_gnn {
namespace {

constexpr int64_t kRows[] = {0, 1, 2, 5, 6, 7, 95, 96, 97, 256, 257, 1500};
constexpr int64_t kColumns[] = {1, 3, 15, 16, 17, 63, 64, 65, 130};
constexpr int64_t kDepths[] = {1, 2, 127, 128, 129, 300};

struct ProductShape {
  int64_t rows, columns, depth;
};

// Every pair of two sizes, the third one in turn: all three would take minutes.
std::vector<ProductShape> product_shapes() {
  std::vector<ProductShape> shapes;
  size_t turn = 0;
  for (const int64_t rows : kRows) {
    for (const int64_t columns : kColumns) {
      shapes.push_back({rows, columns, kDepths[++turn % 6]});
    }
    for (const int64_t depth : kDepths) {
      shapes.push_back({rows, kColumns[++turn % 9], depth});
    }
  }
  for (const int64_t columns : kColumns) {
    for (const int64_t depth : kDepths) shapes.push_back({7, columns, depth});
  }
  return shapes;
}

constexpr double kFence = std::numeric_limits<double>::quiet_NaN();

// A contiguous matrix between rows of NaN: what is read beyond it spoils the
// result, what is written beyond it can be seen.
struct Fenced {
  Fenced(const at::Tensor& values, at::ScalarType dtype)
      : room(at::full({values.size(0) + 2, values.size(1)}, kFence, dtype)),
        matrix(room.narrow(0, 1, values.size(0))) {
    matrix.copy_(values);
  }
  bool intact() const {
    return room[0].isnan().all().item<bool>() &&
           room[room.size(0) - 1].isnan().all().item<bool>();
  }
  at::Tensor room;
  at::Tensor matrix;
};

// The same matrix as itself, as a part of a wider one, transposed, and as a
// transposed part.
std::vector<at::Tensor> layouts_of(const at::Tensor& matrix) {
  const auto part_of_wider = [](const at::Tensor& values) {
    const at::Tensor wide = at::full({values.size(0) + 2, values.size(1) + 5},
                                     kFence, values.options());
    return wide.narrow(0, 1, values.size(0))
        .narrow(1, 3, values.size(1))
        .copy_(values);
  };
  const at::Tensor turned = matrix.t().contiguous();
  return {matrix.contiguous(), part_of_wider(matrix), turned.t(),
          part_of_wider(turned).t()};
}

// Small enough that sums over all rows stay about 1 and so does their rounding.
at::Tensor uniform(int64_t rows, int64_t columns, uint64_t seed) {
  const double bound = 1 / std::sqrt(1.0 + static_cast<double>(rows));
  return random_tensor({rows, columns}, at::kDouble, seed, -bound, bound);
}

// Calls check(dtype) in both types with every instruction set.
void check_in_every_way(const ProductShape& shape,
                        const std::function<void(at::ScalarType)>& check) {
  SCOPED_TRACE(testing::Message() << shape.rows << " rows, " << shape.columns
                                  << " columns, " << shape.depth << " deep");
  for_every_simd_level([&] {
    check(at::kFloat);
    check(at::kDouble);
  });
}

// Hundreds of small products: waking threads would take most of the time.
class Product : public testing::Test {
 protected:
  void SetUp() override { set_num_threads(1); }
  void TearDown() override { set_num_threads(0); }
};

TEST_F(Product, IsAddedToWhatIsThere) {
  for (const ProductShape& shape : product_shapes()) {
    const at::Tensor x = uniform(shape.rows, shape.depth, 1);
    const at::Tensor weight = uniform(shape.columns, shape.depth, 2);
    const at::Tensor start = uniform(shape.rows, shape.columns, 3);
    const at::Tensor expected = start + at::matmul(x, weight.t());
    check_in_every_way(shape, [&](at::ScalarType dtype) {
      Fenced out(start, dtype);
      cpu::add_product(Fenced(x, dtype).matrix, weight.to(dtype), out.matrix);
      EXPECT_TRUE(close_to(out.matrix, expected));
      EXPECT_TRUE(out.intact());
    });
  }
}

TEST_F(Product, GivesTheGradientOfTheInput) {
  for (const ProductShape& shape : product_shapes()) {
    const at::Tensor grad = uniform(shape.rows, shape.depth, 4);
    const at::Tensor weight = uniform(shape.depth, shape.columns, 5);
    const at::Tensor expected = at::matmul(grad, weight);
    check_in_every_way(shape, [&](at::ScalarType dtype) {
      const at::Tensor got =
          cpu::input_gradient(Fenced(grad, dtype).matrix, weight.to(dtype));
      EXPECT_EQ(got.scalar_type(), dtype);
      EXPECT_TRUE(close_to(got, expected));
    });
  }
}

// The sum runs over the rows here, so they are the depth of the shape too.
TEST_F(Product, GivesTheGradientOfTheWeight) {
  for (const ProductShape& shape : product_shapes()) {
    const at::Tensor grad = uniform(shape.rows, shape.depth, 6);
    const at::Tensor x = uniform(shape.rows, shape.columns, 7);
    const at::Tensor expected = at::matmul(grad.t(), x);
    check_in_every_way(shape, [&](at::ScalarType dtype) {
      Fenced out(at::full_like(expected, 7), dtype);
      cpu::weight_gradient(Fenced(grad, dtype).matrix, Fenced(x, dtype).matrix,
                           out.matrix);
      EXPECT_TRUE(close_to(out.matrix, expected));
      EXPECT_TRUE(out.intact());
    });
  }
}

TEST_F(Product, TakesWeightsInAnyLayout) {
  const ProductShape shapes[] = {
      {7, 1, 2}, {1, 65, 129}, {257, 17, 1}, {6, 130, 300}, {260, 64, 128}};
  for (const ProductShape& shape : shapes) {
    const at::Tensor x = uniform(shape.rows, shape.depth, 8);
    const at::Tensor weight = uniform(shape.depth, shape.columns, 9);
    const at::Tensor expected = at::matmul(x, weight);
    check_in_every_way(shape, [&](at::ScalarType dtype) {
      const at::Tensor rows = x.to(dtype);
      for (const at::Tensor& layout : layouts_of(weight.to(dtype))) {
        at::Tensor out = at::zeros_like(expected, dtype);
        cpu::add_product(rows, layout.t(), out);
        EXPECT_TRUE(close_to(out, expected)) << layout.strides();
        EXPECT_TRUE(close_to(cpu::input_gradient(rows, layout), expected))
            << layout.strides();
      }
    });
  }
}

// Around the columns that are taken together and those of a block.
TEST_F(Product, TransposesWeightsInAnyLayout) {
  for (const int64_t rows : {1, 3, 64, 5000}) {
    for (const int64_t columns : {1, 15, 16, 17, 64, 65, 300}) {
      const at::Tensor whole =
          random_tensor({rows, columns + 5}, at::kFloat, 15);
      for (const at::Tensor& weight :
           {whole.narrow(1, 0, columns).contiguous(),
            whole.narrow(1, 3, columns), whole.t()}) {
        const at::Tensor out = cpu::transposed(weight);
        EXPECT_TRUE(out.is_contiguous());
        EXPECT_TRUE(out.equal(weight.t())) << rows << " x " << columns;
      }
    }
  }
}

TEST_F(Product, WritesTheWeightGradientIntoAPartOfAWiderMatrix) {
  const at::Tensor grad = uniform(1500, 5, 10);
  const at::Tensor x = uniform(1500, 17, 11);
  for (at::Tensor& out : layouts_of(at::zeros({5, 17}, at::kDouble))) {
    cpu::weight_gradient(grad, x, out);
    EXPECT_TRUE(close_to(out, at::matmul(grad.t(), x))) << out.strides();
  }
}

TEST_F(Product, IsTheSameBitsForAnyNumberOfThreads) {
  // Several blocks of rows and several chunks of the sum over rows.
  const at::Tensor x = random_tensor({5003, 65}, at::kFloat, 12);
  const at::Tensor grad = random_tensor({5003, 33}, at::kFloat, 13);
  const at::Tensor weight = random_tensor({33, 65}, at::kFloat, 14);
  const auto products = [&] {
    std::vector<at::Tensor> results = {at::zeros({5003, 33}),
                                       at::empty({33, 65})};
    cpu::add_product(x, weight, results[0]);
    cpu::weight_gradient(grad, x, results[1]);
    results.push_back(cpu::input_gradient(grad, weight));
    return results;
  };
  const std::vector<at::Tensor> expected = products();
  for (const int threads : {2, 3}) {
    set_num_threads(threads);
    const std::vector<at::Tensor> got = products();
    for (size_t i = 0; i < got.size(); ++i) {
      EXPECT_TRUE(torch::equal(got[i], expected[i]))
          << "product " << i << " with " << threads << " threads";
    }
  }
}

TEST_F(Product, RowsAreSummedInAtMostSixteenChunks) {
  for (const int64_t rows : {1, 1023, 1024, 1025, 16384, 16385, 1000003}) {
    const int64_t chunk = cpu::chunk_rows(rows);
    EXPECT_LE((rows + chunk - 1) / chunk, 16) << rows;
    EXPECT_GE(chunk, 1024) << rows;
  }
}

}  // namespace
}  // namespace ordered_gnn
