#include "scale/ranks/halo_degrees.h"

#include <ATen/Functions.h>

namespace ordered_gnn::scale {

at::Tensor degrees_with_halo(const at::Tensor& rowptr,
                             const std::vector<int64_t>& receive_only,
                             core::RowExchange& exchange) {
  using Side = core::RowExchange::Side;
  // Fetched as rows of one number.
  const at::Tensor degree = rowptr.diff().unsqueeze(1);
  const at::Tensor senders = exchange.fetch(degree, Side::in);
  const at::Tensor receivers = exchange.fetch(degree, Side::out);
  const at::Tensor rows = at::tensor(receive_only, at::kLong);
  return senders.index_copy(0, rows, receivers.index_select(0, rows))
      .squeeze(1);
}

}  // namespace ordered_gnn::scale
