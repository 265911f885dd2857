#include "core/simd.h"

#include <gtest/gtest.h>

namespace ordered_gnn::core {
namespace {

class Simd : public testing::Test {
 protected:
  void TearDown() override { force_simd_level(before_); }
  const SimdLevel before_ = simd_level();
};

TEST_F(Simd, EveryLevelUpToTheBestCanBeForced) {
  const char* const names[] = {"baseline", "avx2", "avx512"};
  for (int i = 0; i <= static_cast<int>(best_simd_level()); ++i) {
    force_simd_level(static_cast<SimdLevel>(i));
    EXPECT_EQ(to_string(simd_level()), names[i]);
  }
}

}  // namespace
}  // namespace ordered_gnn::core
