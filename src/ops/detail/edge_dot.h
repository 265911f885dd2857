#pragma once
#include <ATen/core/Tensor.h>

#include <tuple>

#include "ops/detail/lists.h"

namespace ordered_gnn::detail {

/// Arguments of the registered op `edge_dot`.
struct EdgeDotArguments {
  EdgeLists lists;
  at::Tensor a, b;
  int64_t heads = 1;

  template <typename Self>
  static auto members(Self& self) {
    return std::tie(self.lists, self.a, self.b, self.heads);
  }
};

void check_edge_dot(const EdgeDotArguments& arguments);

/// Calls the registered op, which gives [E, heads].
at::Tensor edge_dot(const EdgeDotArguments& arguments);

}  // namespace ordered_gnn::detail
