#include "core/out_of_memory.h"

#include <c10/core/impl/alloc_cpu.h>
#include <gtest/gtest.h>

#include "ordered_gnn/core/error.h"
#include "support/errors.h"
#include "support/sanitized.h"

namespace ordered_gnn::core {
namespace {

TEST(OutOfMemory, SaysWhatWasBeingDone) {
  const std::string message = error_of(
      [] { naming_activity("loading x", [] { throw std::bad_alloc(); }); });
  EXPECT_TRUE(contains(message, "out of memory while loading x; "));
  EXPECT_TRUE(contains(message, "in use now"));
  EXPECT_TRUE(contains(message, "--max-memory"));
}

TEST(OutOfMemory, SaysTheInnermostActivity) {
  const std::string message = error_of([] {
    naming_activity("training", [] {
      naming_activity("loading x", [] { throw std::bad_alloc(); });
    });
  });
  EXPECT_TRUE(contains(message, "while loading x;"));
  EXPECT_FALSE(contains(message, "training"));
}

TEST(OutOfMemory, KnowsLibTorchsOwnError) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer ends the process instead";
  const std::string message = error_of([] {
    naming_activity("predicting", [] { c10::alloc_cpu(size_t{1} << 60); });
  });
  EXPECT_TRUE(contains(message, "out of memory while predicting; "));
}

TEST(OutOfMemory, LeavesOtherErrorsAndResultsAlone) {
  EXPECT_EQ(naming_activity("counting", [] { return 3; }), 3);
  EXPECT_THROW(
      naming_activity("adding", [] { TORCH_CHECK(false, "shapes differ"); }),
      c10::Error);
  EXPECT_EQ(error_of([] { naming_activity("adding", [] { fail("no"); }); }),
            "no");
}

}  // namespace
}  // namespace ordered_gnn::core
