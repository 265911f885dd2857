#pragma once
#include <functional>

#include "ordered_gnn/nn/options.h"

namespace ordered_gnn::nn {

/// Visits `base` with every gating, aggregator and norm there is.
inline void for_every_network(
    OrderedGnnOptions base,
    const std::function<void(const OrderedGnnOptions&)>& visit) {
  for (const Gating gating :
       {Gating::none, Gating::simple, Gating::ordered, Gating::softor}) {
    for (const Aggregator aggregator :
         {Aggregator::mean, Aggregator::gcn, Aggregator::sum, Aggregator::max,
          Aggregator::gat, Aggregator::signed_}) {
      for (const Norm norm : {Norm::layer, Norm::batch, Norm::none}) {
        base.gating = gating;
        base.aggregator = aggregator;
        base.norm = norm;
        visit(base);
      }
    }
  }
}

}  // namespace ordered_gnn::nn
