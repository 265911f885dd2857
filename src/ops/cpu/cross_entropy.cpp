// Work split: runs of the chosen rows, which do not know of each other; the sum
// of the losses is one.
// Memory: a run's rows stay in cache between the kernels.
// Determinism: LibTorch's own kernels one after the other, those that its
// cross_entropy and autograd run: the bits are theirs.
#include "ops/detail/cross_entropy.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Reduction.h>
#include <torch/library.h>

#include <algorithm>

#include "ops/cpu/bf16/rows.h"
#include "ops/cpu/blocks.h"
#include "ops/cpu/chunk_shares.h"
#include "ops/detail/arguments.h"
#include "ordered_gnn/core/parallel.h"

namespace ordered_gnn::cpu {
namespace {

using detail::CrossEntropyArguments;

constexpr int64_t kIgnoreNone = -100;  // not a label, see check_values

void check_values(const char* name, const at::Tensor& indices, int64_t end) {
  const at::Tensor flat = indices.contiguous();
  const int64_t* const index = flat.data_ptr<int64_t>();
  for (int64_t i = 0; i < flat.size(0); ++i) {
    TORCH_CHECK(index[i] >= 0 && index[i] < end, "cross_entropy: ", name, "[",
                i, "] is ", index[i], "; it must be in 0 to ", end - 1);
  }
}

// Rows of a run: enough that LibTorch's calls cost little beside them.
constexpr int64_t kRunRows = 512;

// [n, C], in float where logits are stored in bfloat16.
at::Tensor log_probabilities(const at::Tensor& logits,
                             const at::Tensor& nodes) {
  const bool narrow = bf16::is_stored_as(logits);
  const at::Tensor out =
      at::empty({nodes.size(0), logits.size(1)},
                narrow ? logits.options().dtype(at::kFloat) : logits.options());
  parallel_ranges(nodes.size(0), kRunRows, [&](int64_t begin, int64_t end) {
    const at::AutoDispatchBelowADInplaceOrView below_autograd;
    at::Tensor chosen =
        at::index_select(logits, 0, nodes.narrow(0, begin, end - begin));
    if (narrow) chosen = chosen.to(at::kFloat);
    at::Tensor part = out.narrow(0, begin, end - begin);
    at::_log_softmax_out(part, chosen, 1, /*half_to_float=*/false);
  });
  return out;
}

// What the sum of the losses is divided by.
at::Tensor total_weight(const CrossEntropyArguments& arguments,
                        const at::Tensor& log_probability) {
  if (!arguments.weights.has_value()) {
    return at::full(
        {}, arguments.nodes.size(0),
        arguments.logits.options().dtype(log_probability.scalar_type()));
  }
  return at::index_select(*arguments.weights, 0, arguments.labels).sum();
}

at::Tensor cross_entropy(const CrossEntropyArguments& arguments) {
  detail::check_cross_entropy(arguments);
  const auto& [logits, nodes, labels, weights] = arguments;
  check_values("nodes", nodes, logits.size(0));
  check_values("labels", labels, logits.size(1));
  return std::get<0>(at::nll_loss_forward(log_probabilities(logits, nodes),
                                          labels, weights, at::Reduction::Mean,
                                          kIgnoreNone));
}

// Adds the rows of a run to those of the nodes from `first` on.
void add_to_nodes(const at::Tensor& rows, const int64_t* nodes, int64_t first,
                  const at::Tensor& out) {
  AT_DISPATCH_FLOATING_TYPES(out.scalar_type(), "cross_entropy", [&] {
    const int64_t classes = rows.size(1);
    const scalar_t* from = rows.data_ptr<scalar_t>();
    for (int64_t i = 0; i < rows.size(0); ++i, from += classes) {
      scalar_t* const to =
          out.data_ptr<scalar_t>() + nodes[first + i] * classes;
      for (int64_t c = 0; c < classes; ++c) to[c] += from[c];
    }
  });
}

at::Tensor cross_entropy_backward(
    const detail::CrossEntropyBackwardArguments& arguments) {
  const at::Tensor& logits = arguments.forward.logits;
  const at::Tensor& nodes = arguments.forward.nodes;
  const int64_t count = nodes.size(0);
  if (count == 0) return at::zeros(logits.sizes(), logits.options());
  const at::Tensor log_probability = log_probabilities(logits, nodes);
  const at::Tensor out = zero_shares(logits.sizes(), log_probability.options());
  const at::Tensor divisor = total_weight(arguments.forward, log_probability);
  const at::Tensor listed = nodes.contiguous();
  const int64_t* const node = listed.data_ptr<int64_t>();
  // A node that is listed twice is added to twice, by one thread then.
  const bool in_order = std::is_sorted(node, node + count) &&
                        std::adjacent_find(node, node + count) == node + count;
  parallel_ranges(
      count, in_order ? kRunRows : count, [&](int64_t begin, int64_t end) {
        const at::AutoDispatchBelowADInplaceOrView below_autograd;
        const at::Tensor part = log_probability.narrow(0, begin, end - begin);
        const at::Tensor grad_log = at::nll_loss_backward(
            arguments.grad, part,
            arguments.forward.labels.narrow(0, begin, end - begin),
            arguments.forward.weights, at::Reduction::Mean, kIgnoreNone,
            divisor);
        add_to_nodes(at::_log_softmax_backward_data(grad_log, part, 1,
                                                    part.scalar_type())
                         .contiguous(),
                     node, begin, out);
      });
  return out.to(logits.scalar_type());
}

}  // namespace

TORCH_LIBRARY_IMPL(ordered_gnn, CPU, m) {
  m.impl("cross_entropy", detail::registered<cross_entropy>);
  m.impl("cross_entropy_backward", detail::registered<cross_entropy_backward>);
}

}  // namespace ordered_gnn::cpu
