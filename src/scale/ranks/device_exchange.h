#pragma once
#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "scale/ranks/team_exchange.h"

namespace ordered_gnn::scale {

/// Rounds of parts whose rows are on one device, such as a GPU. When all parts
/// of the rank have brought their rows, one Group::exchange() carries what
/// other ranks need, and all take. Rows are moved by ops of that device, on the
/// stream that the threads of all parts share, those of another go to this one
/// and back; whole rows travel, whatever dropout has made zeros of.
class DeviceExchange : public TeamExchange {
 public:
  /// All must outlive it.
  /// @param layers  of the model, each of which fetches once forward and once
  ///                backward.
  DeviceExchange(Group& group, const RankRoutes& routes, PartTeam& team,
                 at::Device device, int64_t layers, Wire wire = Wire::fp32);

  void use_loss_routes(const RankRoutes* routes) override;
  void abort() override;
  void reset() override;
  void settle() override {}

 private:
  // The routes of one side as tensors on the device.
  struct Take {
    int64_t part = -1;  ///< of this rank, counted from its first; -1: received
    at::Tensor rows;    ///< of that part, or of what is received
    at::Tensor slots;   ///< rows of the result
  };
  struct PartMoves {
    at::Tensor pack_rows, pack_places;
    std::vector<Take> takes;
  };
  struct SideMoves {
    std::vector<PartMoves> parts;
    std::vector<int64_t> send_rows, receive_rows;  ///< per rank
    int64_t sent = 0, received = 0;
  };
  struct Moves {
    SideMoves in, out;
  };

  SideMoves moves_of(const SideRoutes& routes) const;
  PartMoves moves_of(const PartRoutes& routes) const;
  at::Tensor fetch(int64_t part, int64_t halo, const at::Tensor& given,
                   Side side) override;
  at::Tensor fetch_here(int64_t part, int64_t halo, const at::Tensor& rows,
                        const SideMoves& moves, bool is_last);
  void enter(int64_t part, const at::Tensor& rows, const SideMoves& moves);
  at::Tensor exchanged(const SideMoves& moves);
  at::Tensor taken(const Take& take, at::ScalarType on_wire) const;
  void leave();

  const at::Device device_;
  const Moves moves_;
  std::unique_ptr<Moves> loss_moves_;
  std::vector<at::Tensor> rows_;  ///< of every part that has come
  at::Tensor received_;
  int64_t round_ = 0;
  int64_t came_ = 0, left_ = 0;
  bool is_ready_ = false;  ///< all have come and may take
};

}  // namespace ordered_gnn::scale
