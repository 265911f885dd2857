#pragma once
#include <ATen/core/dispatch/Dispatcher.h>

namespace ordered_gnn::detail {

/// The registered op `ordered_gnn::<name>`; `Function` is the type of the
/// kernel, for example `decltype(detail::dropout)`.
template <typename Function>
c10::TypedOperatorHandle<Function> find_op(const char* name) {
  return c10::Dispatcher::singleton()
      .findSchemaOrThrow(name, "")
      .template typed<Function>();
}

}  // namespace ordered_gnn::detail
