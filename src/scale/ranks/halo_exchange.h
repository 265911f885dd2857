#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "core/told_exchange.h"
#include "scale/ranks/row_layout.h"
#include "scale/ranks/team_exchange.h"

namespace ordered_gnn::scale {

/// Rounds in which the parts of a rank bring rows and take those that their
/// halos need, from each other or from other ranks. What a part brings is on
/// its way while others compute, and a part waits for the rows alone that it
/// needs: communication hides behind the parts that still have work.
class HaloExchange : public TeamExchange {
 public:
  /// All must outlive it.
  /// @param layers     of the model, each of which fetches once forward and
  ///                   once backward.
  /// @param first_tag  of its messages, which has one for every part of the
  ///                   graph: exchanges at the same time have others.
  HaloExchange(Group& group, const RankRoutes& routes, PartTeam& team,
               int64_t layers, Wire wire = Wire::fp32, int64_t first_tag = 0);
  ~HaloExchange() override;

  void use_loss_routes(const RankRoutes* routes) override {
    loss_routes_ = routes;
  }
  void abort() override;
  void reset() override;
  void settle() override;

 private:
  using Take = PartRoutes::Take;
  struct Arrival;
  struct Round;

  // What is fetched in a round; all parts bring the same.
  struct Matter {
    Side side = Side::in;
    core::RowKnowledge known;
  };

  at::Tensor fetch(int64_t part, int64_t halo, const at::Tensor& given,
                   Side side) override;
  Matter matter_of(int64_t part, Side side);
  const SideRoutes& routes_of(const Matter& matter) const;
  Round& enter(int64_t part, const at::Tensor& rows, const Matter& matter);
  void prepare(Round& round, const at::Tensor& rows, const Matter& matter);
  void send_rows(Round& round, int64_t part, const at::Tensor& rows,
                 const Matter& matter);
  void take_own(const Round& round, const PartRoutes& routes,
                const at::Tensor& all);
  void take_received(const Round& round, const PartRoutes& routes,
                     const std::vector<Message>& messages,
                     const at::Tensor& all);
  void wait_for(Arrival& arrival);
  void leave(Round& round);

  const RankRoutes& routes_;
  const int64_t first_tag_;
  const RankRoutes* loss_routes_ = nullptr;
  std::vector<int64_t> entered_;  ///< rounds, by every part
  std::unique_ptr<Round> rounds_[2];
  std::unique_ptr<Round> left_;  ///< the last that all have left
};

}  // namespace ordered_gnn::scale
