#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/ThreadLocalDebugInfo.h>

#include <memory>
#include <unordered_map>
#include <vector>

namespace ordered_gnn::cuda {

/// Copies of float parameters in bfloat16. Products with rows of that type need
/// one; a training step that holds all of them converts them in one launch
/// instead of one by one wherever a product asks.
///
/// Belongs to the run that trains the parameters and keeps them, so that no
/// other tensor can have their memory while the copies can be found.
class StoredParameters : public c10::DebugInfoBase {
 public:
  /// Takes room for copies; what is in them says nothing yet. Tensors that are
  /// not float or not dense in memory are left out.
  explicit StoredParameters(const std::vector<at::Tensor>& parameters);

  /// Converts the parameters as they are now, on the current stream.
  void refresh() const;

  /// The copy of a parameter; undefined when there is none.
  at::Tensor copy_of(const at::Tensor& parameter) const;

  /// While it lives, stored_copy() finds the copies: in the calling thread and
  /// in the backward passes that it starts, nowhere else.
  class Use {
   public:
    explicit Use(std::shared_ptr<StoredParameters> copies);

   private:
    const c10::DebugInfoGuard guard_;
  };

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> copies_;
  std::unordered_map<const void*, size_t> places_;  ///< by their memory
};

/// The copy of a parameter that is in use; undefined when there is none.
at::Tensor stored_copy(const at::Tensor& parameter);

}  // namespace ordered_gnn::cuda
