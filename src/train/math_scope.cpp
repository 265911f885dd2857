#include "train/math_scope.h"

#include <ATen/Context.h>
#include <fmt/format.h>

#include <cstdlib>
#include <mutex>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {
namespace {

constexpr const char* kWorkspace = "CUBLAS_WORKSPACE_CONFIG";

struct ProcessMath {
  std::mutex mutex;
  int scopes = 0;
  Math math = Math::fp32;
  bool tf32_before = false;
  bool workspace_is_ours = false;
};

ProcessMath& process_math() {
  static ProcessMath math;
  return math;
}

// LibTorch lends cuBLAS memory for each of two threads, on Hopper 32 MiB.
// Products of bfloat16 use little of it; those of TF32 take the faster
// algorithms only when they have all of it.
const char* workspace_size(Math math) {
  return math == Math::bf16 ? ":4096:2:16:8" : ":4096:8";
}

}  // namespace

MathScope::MathScope(const ExecutionOptions& options)
    : active_(options.device == Device::cuda) {
  if (!active_) return;
  ProcessMath& now = process_math();
  const std::lock_guard<std::mutex> lock(now.mutex);
  if (now.scopes > 0 && now.math != options.math) {
    throw UsageError(
        fmt::format("math {} was asked for while this process computes with "
                    "{}; runs side by side must agree",
                    to_string(options.math), to_string(now.math)));
  }
  if (now.scopes++ > 0) return;
  at::Context& context = at::globalContext();
  now.math = options.math;
  now.tf32_before = context.allowTF32CuBLAS();
  now.workspace_is_ours = std::getenv(kWorkspace) == nullptr;
  if (now.workspace_is_ours) {
    setenv(kWorkspace, workspace_size(options.math), /*overwrite=*/1);
  }
  context.setAllowTF32CuBLAS(options.math == Math::tf32);
}

MathScope::~MathScope() {
  if (!active_) return;
  ProcessMath& now = process_math();
  const std::lock_guard<std::mutex> lock(now.mutex);
  if (--now.scopes > 0) return;
  at::globalContext().setAllowTF32CuBLAS(now.tf32_before);
  if (now.workspace_is_ours) unsetenv(kWorkspace);
}

}  // namespace ordered_gnn::training
