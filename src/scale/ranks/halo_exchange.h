#pragma once
#include <ATen/core/Tensor.h>

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "core/told_exchange.h"
#include "scale/engines/group.h"
#include "scale/ranks/part_team.h"
#include "scale/ranks/rank_exchange.h"
#include "scale/ranks/row_layout.h"
#include "scale/ranks/row_news.h"
#include "scale/ranks/wire.h"

namespace ordered_gnn::scale {

/// Rounds in which the parts of a rank bring rows and take those that their
/// halos need, from each other or from other ranks. What a part brings is on
/// its way while others compute, and a part waits for the rows alone that it
/// needs: communication hides behind the parts that still have work.
class HaloExchange : public RankExchange {
 public:
  /// All must outlive it.
  /// @param layers  of the model, each of which fetches once forward and once
  ///                backward.
  HaloExchange(Group& group, const RankRoutes& routes, PartTeam& team,
               int64_t layers, Wire wire = Wire::fp32);
  ~HaloExchange() override;

  std::shared_ptr<core::RowExchange> of_part(int64_t part,
                                             int64_t halo) override;
  void use_loss_routes(const RankRoutes* routes) override {
    loss_routes_ = routes;
  }
  void abort() override;
  void reset() override;
  void settle() override;

 private:
  class PartSide;
  struct Arrival;
  struct Round;
  using Side = core::RowExchange::Side;

  // What is fetched in a round; all parts bring the same.
  struct Matter {
    Side side = Side::in;
    core::RowKnowledge known;
  };
  // What a part knows of its rounds.
  struct Visitor {
    int64_t rounds = 0;  ///< that it has entered
    RowNews news;
  };

  at::Tensor fetch(int64_t part, int64_t halo, const at::Tensor& given,
                   Side side);
  Matter matter_of(int64_t part, Side side);
  const SideRoutes& routes_of(const Matter& matter) const;
  at::ScalarType type_on_wire(const at::Tensor& rows) const;
  Round& enter(int64_t part, const at::Tensor& rows, const Matter& matter);
  void prepare(Round& round, const at::Tensor& rows, const Matter& matter);
  void send_rows(Round& round, int64_t part, const at::Tensor& rows,
                 const Matter& matter);
  void wait_for(Round& round, const PartRoutes& routes);
  void take(const Round& round, const PartRoutes& routes,
            const at::Tensor& all) const;
  void leave(Round& round);
  void wait_until(std::unique_lock<std::mutex>& lock,
                  const std::function<bool()>& is_so);

  Group& group_;
  const RankRoutes& routes_;
  const RankRoutes* loss_routes_ = nullptr;
  PartTeam& team_;
  const int64_t layers_;
  const Wire wire_;
  const int64_t parts_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Visitor> visitors_;  ///< of every part
  std::unique_ptr<Round> rounds_[2];
  std::unique_ptr<Round> left_;  ///< the last that all have left
  bool is_aborted_ = false;
};

}  // namespace ordered_gnn::scale
