#include "ops/cuda/stored_parameters.h"

#include <torch/csrc/autograd/custom_function.h>

#include <memory>
#include <thread>

#include "cuda/cuda_support.h"

namespace ordered_gnn::cuda {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class CudaStoredParameters : public CudaTest {
 protected:
  static at::Tensor parameter() {
    return uniform({5, 3}, 4).to(at::kCUDA, at::kFloat);
  }
  static std::shared_ptr<StoredParameters> copies_of(const at::Tensor& tensor) {
    auto copies =
        std::make_shared<StoredParameters>(std::vector<at::Tensor>{tensor});
    copies->refresh();
    return copies;
  }
};

// Twice its input; backward says whether it finds a copy of the parameter.
struct LooksInBackward : torch::autograd::Function<LooksInBackward> {
  static at::Tensor forward(AutogradContext* ctx, const at::Tensor& x,
                            const at::Tensor& parameter, bool* found) {
    ctx->save_for_backward({parameter});
    ctx->saved_data["found"] = reinterpret_cast<int64_t>(found);
    return x * 2;
  }
  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    bool* const found =
        reinterpret_cast<bool*>(ctx->saved_data["found"].toInt());
    *found = stored_copy(ctx->get_saved_variables()[0]).defined();
    return {grads[0] * 2, at::Tensor(), at::Tensor()};
  }
};

bool found_in_backward(const at::Tensor& parameter) {
  bool found = false;
  const at::Tensor x = torch::ones({2}, at::device(at::kCUDA)).requires_grad_();
  LooksInBackward::apply(x, parameter, &found).sum().backward();
  return found;
}

TEST_F(CudaStoredParameters, AreFoundWhileInUse) {
  const at::Tensor tensor = parameter();
  const auto copies = copies_of(tensor);
  EXPECT_FALSE(stored_copy(tensor).defined());
  {
    const StoredParameters::Use use(copies);
    ASSERT_TRUE(stored_copy(tensor).defined());
    EXPECT_TRUE(torch::equal(stored_copy(tensor), tensor.to(at::kBFloat16)));
    EXPECT_FALSE(stored_copy(tensor.t()).defined());
    EXPECT_FALSE(stored_copy(parameter()).defined());
  }
  EXPECT_FALSE(stored_copy(tensor).defined());
}

TEST_F(CudaStoredParameters, AreFoundInBackwardPassesOfTheirScopeOnly) {
  const at::Tensor tensor = parameter();
  const auto copies = copies_of(tensor);
  EXPECT_FALSE(found_in_backward(tensor));
  {
    const StoredParameters::Use use(copies);
    EXPECT_TRUE(found_in_backward(tensor));
    bool found_elsewhere = true;
    std::thread([&] {
      found_elsewhere =
          stored_copy(tensor).defined() || found_in_backward(tensor);
    }).join();
    EXPECT_FALSE(found_elsewhere);
  }
  EXPECT_FALSE(found_in_backward(tensor));
}

TEST_F(CudaStoredParameters, OfTwoRunsDoNotMeet) {
  const at::Tensor tensor = parameter();
  const auto outer = copies_of(tensor);
  const auto inner = copies_of(tensor);
  const StoredParameters::Use use(outer);
  {
    const StoredParameters::Use nested(inner);
    EXPECT_TRUE(stored_copy(tensor).is_same(inner->copy_of(tensor)));
  }
  EXPECT_TRUE(stored_copy(tensor).is_same(outer->copy_of(tensor)));
}

TEST_F(CudaStoredParameters, KeepTheirParametersMemory) {
  std::shared_ptr<StoredParameters> copies;
  const void* memory = nullptr;
  {
    const at::Tensor tensor = parameter();
    memory = tensor.data_ptr();
    copies = copies_of(tensor);
  }
  const StoredParameters::Use use(copies);
  const at::Tensor other = parameter();
  EXPECT_NE(other.data_ptr(), memory);
  EXPECT_FALSE(stored_copy(other).defined());
}

}  // namespace
}  // namespace ordered_gnn::cuda
