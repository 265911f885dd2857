#include "core/recycled_tensor.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include "ordered_gnn/core/memory.h"

namespace ordered_gnn::core {
namespace {

// Larger than what is left to malloc().
constexpr int64_t kFloats = int64_t{3} << 20;

c10::DeleterFnPtr deleter_of(const at::Tensor& tensor) {
  return tensor.storage().data_ptr().get_deleter();
}

TEST(RecycledTensor, IsAnyTensorUntilSomebodyAsksForIt) {
  const at::Tensor plain = at::empty({kFloats});
  const at::Tensor before = recycled_empty({kFloats}, at::kFloat);
  EXPECT_EQ(deleter_of(before), deleter_of(plain));
  recycle_results();
  const at::Tensor after = recycled_empty({kFloats}, at::kFloat);
  EXPECT_NE(deleter_of(after), deleter_of(plain));
  // No other tensor is: that is up to use_recycling_allocator().
  EXPECT_EQ(deleter_of(at::empty({kFloats})), deleter_of(plain));
}

TEST(RecycledTensor, HasTheMemoryOfOneThatIsGone) {
  recycle_results();
  at::Tensor first = recycled_empty({kFloats + 77}, at::kFloat).fill_(1);
  const void* const block = first.data_ptr();
  first.reset();
  const at::Tensor between = at::empty({kFloats + 77});
  EXPECT_NE(between.data_ptr(), block);
  EXPECT_EQ(recycled_empty({kFloats + 77}, at::kFloat).data_ptr(), block);
}

TEST(RecycledTensor, HasTheShapeAndTypeThatWereAskedFor) {
  recycle_results();
  const at::Tensor rows = recycled_empty({300, 4000}, at::kDouble);
  EXPECT_EQ(rows.sizes(), at::IntArrayRef({300, 4000}));
  EXPECT_TRUE(rows.is_contiguous());
  EXPECT_EQ(recycled_like(rows).scalar_type(), at::kDouble);
  EXPECT_EQ(recycled_empty({0, 5}, at::kFloat).numel(), 0);
  EXPECT_EQ(recycled_like(at::ones({3, 2})).numel(), 6);
}

}  // namespace
}  // namespace ordered_gnn::core
