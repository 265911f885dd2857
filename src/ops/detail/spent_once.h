#pragma once
#include <ATen/core/grad_mode.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

namespace ordered_gnn::detail {

/// Hands a holder of tensors to the node of an autograd graph; for one that
/// backward takes back with spend().
template <typename T>
void keep_until_spent(torch::autograd::AutogradContext* ctx,
                      const c10::intrusive_ptr<T>& kept) {
  ctx->saved_data["kept"] = c10::IValue::make_capsule(kept);
}

/// What keep_until_spent() gave, now the caller's alone: tensors in it can go
/// one by one while backward is under way, where saved variables stay to its
/// end.
/// @throws c10::Error naming `op` the second time, and when gradients of the
///         gradients are asked for, which such a backward has not.
template <typename T>
c10::intrusive_ptr<T> spend(torch::autograd::AutogradContext* ctx,
                            const char* op) {
  TORCH_CHECK(!at::GradMode::is_enabled(), op, " has no second gradients");
  const auto found = ctx->saved_data.find("kept");
  TORCH_CHECK(found != ctx->saved_data.end(), op,
              ": backward runs once, for it writes over what was kept");
  auto holder = found->second.toCapsule();
  ctx->saved_data.erase("kept");
  return c10::intrusive_ptr<T>::reclaim(static_cast<T*>(holder.release()));
}

}  // namespace ordered_gnn::detail
