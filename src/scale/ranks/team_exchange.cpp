#include "scale/ranks/team_exchange.h"

#include "core/told_exchange.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::scale {

class TeamExchange::PartSide : public core::ToldExchange {
 public:
  PartSide(TeamExchange& exchange, int64_t part, int64_t halo)
      : exchange_(exchange), part_(part), halo_(halo) {}

  at::Tensor fetch(const at::Tensor& rows, Side side) override {
    return exchange_.fetch(part_, halo_, rows, side);
  }

  void announce(const core::RowKnowledge& known) override {
    exchange_.news_[part_].announce(known);
  }

 private:
  TeamExchange& exchange_;
  const int64_t part_, halo_;
};

TeamExchange::TeamExchange(Group& group, const RankRoutes& routes,
                           PartTeam& team, int64_t layers, Wire wire)
    : group_(group),
      team_(team),
      layers_(layers),
      wire_(wire),
      parts_(static_cast<int64_t>(routes.in.parts.size())) {}

std::shared_ptr<core::RowExchange> TeamExchange::of_part(int64_t part,
                                                         int64_t halo) {
  return std::make_shared<PartSide>(*this, part, halo);
}

at::ScalarType TeamExchange::type_on_wire(const at::Tensor& rows) const {
  const bool narrow = wire_ == Wire::bf16 && rows.scalar_type() == at::kFloat;
  return narrow ? at::kBFloat16 : rows.scalar_type();
}

void TeamExchange::wait_until(std::unique_lock<std::mutex>& lock,
                              const std::function<bool()>& is_so) {
  team_.wait(lock, changed_, [&] { return is_so() || is_aborted_; });
  // Also where what was waited for is there: a part that went on would let
  // messages come that nobody sends any more, and that nobody ends.
  if (is_aborted_) fail("another part of the graph could not be computed");
}

}  // namespace ordered_gnn::scale
