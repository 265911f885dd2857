#pragma once
#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "scale/engines/group.h"
#include "scale/ranks/part_team.h"
#include "scale/ranks/rank_exchange.h"
#include "scale/ranks/row_news.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// An exchange in which the parts of a PartTeam meet.
class TeamExchange : public RankExchange {
 public:
  std::shared_ptr<core::RowExchange> of_part(int64_t part,
                                             int64_t halo) override;

 protected:
  using Side = core::RowExchange::Side;

  TeamExchange(Group& group, const RankRoutes& routes, PartTeam& team,
               int64_t layers, Wire wire);

  /// core::RowExchange::fetch() of a part.
  virtual at::Tensor fetch(int64_t part, int64_t halo, const at::Tensor& given,
                           Side side) = 0;

  at::ScalarType type_on_wire(const at::Tensor& rows) const;

  /// Waits on `changed_`; a part that waits gives its turn to another.
  /// @throws Error when it was aborted.
  void wait_until(std::unique_lock<std::mutex>& lock,
                  const std::function<bool()>& is_so);

  Group& group_;
  PartTeam& team_;
  const int64_t layers_;
  const Wire wire_;
  const int64_t parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<RowNews> news_;  ///< of every part
  bool is_aborted_ = false;

 private:
  class PartSide;
};

}  // namespace ordered_gnn::scale
