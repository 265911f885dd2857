// What a GPU run changes for the whole process; it can be asked without a GPU.
#include "train/math_scope.h"

#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <cstdlib>

#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

constexpr const char* kCublasMemory = "CUBLAS_WORKSPACE_CONFIG";

ExecutionOptions on_gpu(Math math) {
  ExecutionOptions options;
  options.device = Device::cuda;
  options.math = math;
  return options;
}

class MathScopeTest : public testing::Test {
 protected:
  void SetUp() override { ::unsetenv(kCublasMemory); }
  void TearDown() override { ::unsetenv(kCublasMemory); }

  static bool shortened() { return at::globalContext().allowTF32CuBLAS(); }
};

TEST_F(MathScopeTest, LastsUntilTheLastRunEnds) {
  ASSERT_FALSE(shortened());
  {
    const MathScope first(on_gpu(Math::tf32));
    EXPECT_TRUE(shortened());
    EXPECT_STREQ(std::getenv(kCublasMemory), ":4096:8");
    { const MathScope second(on_gpu(Math::tf32)); }
    EXPECT_TRUE(shortened());
  }
  EXPECT_FALSE(shortened());
  EXPECT_EQ(std::getenv(kCublasMemory), nullptr);
}

TEST_F(MathScopeTest, RunsSideBySideMustAgree) {
  const MathScope first(on_gpu(Math::bf16));
  EXPECT_STREQ(std::getenv(kCublasMemory), ":4096:2:16:8");
  EXPECT_EQ(error_of([] { MathScope second(on_gpu(Math::tf32)); }),
            "math tf32 was asked for while this process computes with bf16; "
            "runs side by side must agree");
}

TEST_F(MathScopeTest, LeavesTheUsersMemoryForProductsAlone) {
  ::setenv(kCublasMemory, ":16:8", /*overwrite=*/1);
  { const MathScope scope(on_gpu(Math::bf16)); }
  EXPECT_STREQ(std::getenv(kCublasMemory), ":16:8");
}

TEST_F(MathScopeTest, ChangesNothingOnACpu) {
  const MathScope scope(ExecutionOptions{});
  EXPECT_EQ(std::getenv(kCublasMemory), nullptr);
}

}  // namespace
}  // namespace ordered_gnn::training
