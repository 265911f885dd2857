#include "explain/log_odds.h"

#include <ATen/ATen.h>

#include <limits>

namespace ordered_gnn::explain {

at::Tensor log_odds(const at::Tensor& logits, const at::Tensor& classes) {
  // In double: for a sure model 1 - p is lost in float.
  const at::Tensor z = logits.to(at::kDouble);
  const at::Tensor column = classes.unsqueeze(1);
  const at::Tensor is_asked =
      at::zeros(z.sizes(), at::kBool).scatter(1, column, /*value=*/1);
  const at::Tensor others =
      z.masked_fill(is_asked, -std::numeric_limits<double>::infinity());
  return z.gather(1, column).squeeze(1) - others.logsumexp(1);
}

}  // namespace ordered_gnn::explain
