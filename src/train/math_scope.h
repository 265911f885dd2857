#pragma once
#include "ordered_gnn/core/non_copyable.h"
#include "ordered_gnn/train/execution.h"

namespace ordered_gnn::training {

/// While it lives, LibTorch's products on a GPU are those that the options ask
/// for; on the CPU it does nothing. The switch for TF32 and the environment
/// variable CUBLAS_WORKSPACE_CONFIG, which cuBLAS reads once, are the whole
/// process's: runs side by side must agree, and the last of them gives the
/// caller back what was there before the first.
class MathScope : NonCopyable {
 public:
  /// @throws UsageError when a scope with other math is alive.
  explicit MathScope(const ExecutionOptions& options);
  ~MathScope();

 private:
  const bool active_;
};

}  // namespace ordered_gnn::training
