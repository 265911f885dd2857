#pragma once
#include <ATen/core/Tensor.h>

#include <vector>

namespace ordered_gnn::cuda {

/// Copies of float parameters in bfloat16. Products with rows of that type need
/// one; a training step that holds all of them converts them in one launch
/// instead of one by one wherever a product asks.
class StoredParameters {
 public:
  /// Takes room for copies; what is in them says nothing yet. Tensors that are
  /// not float or not dense in memory are left out.
  explicit StoredParameters(const std::vector<at::Tensor>& parameters);

  /// Converts the parameters as they are now, on the current stream.
  void refresh() const;

  /// While it lives, stored_copy() finds the copies, in all threads.
  class Use {
   public:
    explicit Use(const StoredParameters& copies);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    const StoredParameters& copies_;
  };

 private:
  std::vector<at::Tensor> parameters_;
  std::vector<at::Tensor> copies_;
};

/// The copy of a parameter that is in use; undefined when there is none.
at::Tensor stored_copy(const at::Tensor& parameter);

}  // namespace ordered_gnn::cuda
