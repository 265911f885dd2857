#include "scale/ranks/device_exchange.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <numeric>

#include "scale/ranks/rank_progress.h"

namespace ordered_gnn::scale {

DeviceExchange::DeviceExchange(Group& group, const RankRoutes& routes,
                               PartTeam& team, at::Device device,
                               int64_t layers, Wire wire)
    : TeamExchange(group, routes, team, layers, wire),
      device_(device),
      moves_{moves_of(routes.in), moves_of(routes.out)} {
  reset();
}

DeviceExchange::PartMoves DeviceExchange::moves_of(
    const PartRoutes& routes) const {
  const auto there = [this](const std::vector<int64_t>& places) {
    return at::tensor(places, at::kLong).to(device_);
  };
  PartMoves moves;
  std::vector<int64_t> rows, places;
  for (const PartRoutes::Pack& pack : routes.packs) {
    rows.push_back(pack.row);
    places.push_back(pack.place);
  }
  moves.pack_rows = there(rows);
  moves.pack_places = there(places);
  std::vector<int64_t> sources = routes.neighbours;
  if (!routes.arrivals.empty()) sources.push_back(-1);
  for (const int64_t source : sources) {
    std::vector<int64_t> from, slots;
    for (const PartRoutes::Take& take : routes.takes) {
      if (take.part != source) continue;
      from.push_back(take.row);
      slots.push_back(take.slot);
    }
    moves.takes.push_back({source, there(from), there(slots)});
  }
  return moves;
}

DeviceExchange::SideMoves DeviceExchange::moves_of(
    const SideRoutes& routes) const {
  SideMoves moves;
  for (const PartRoutes& part : routes.parts) {
    moves.parts.push_back(moves_of(part));
  }
  moves.send_rows = routes.send_rows;
  moves.receive_rows = routes.receive_rows;
  moves.sent = routes.sent();
  moves.received = routes.received();
  return moves;
}

void DeviceExchange::use_loss_routes(const RankRoutes* routes) {
  loss_moves_.reset();
  if (routes == nullptr) return;
  loss_moves_ = std::make_unique<Moves>(
      Moves{moves_of(routes->in), moves_of(routes->out)});
}

void DeviceExchange::abort() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = true;
  changed_.notify_all();
}

void DeviceExchange::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  news_.assign(parts_, RowNews());
  rows_.assign(parts_, at::Tensor());
  received_.reset();
  round_ = came_ = left_ = 0;
  is_ready_ = is_aborted_ = false;
}

at::Tensor DeviceExchange::fetch(int64_t part, int64_t halo,
                                 const at::Tensor& given, Side side) {
  TORCH_CHECK(given.dim() == 2, "rows of a part must be [n, D], got ",
              given.sizes());
  const at::NoGradGuard no_grad;
  const bool is_last = news_[part].next(side).is_last && loss_moves_ != nullptr;
  const Moves& moves = is_last ? *loss_moves_ : moves_;
  const at::Tensor rows = given.detach().to(device_).contiguous();
  return fetch_here(part, halo, rows, side == Side::in ? moves.in : moves.out,
                    is_last)
      .to(given.device());
}

at::Tensor DeviceExchange::fetch_here(int64_t part, int64_t halo,
                                      const at::Tensor& rows,
                                      const SideMoves& moves, bool is_last) {
  // A graph of one part has nobody to meet.
  if (parts_ == 1 && group_.size() == 1 && halo == 0) return rows;
  enter(part, rows, moves);
  const int64_t own = rows.size(0);
  at::Tensor all = at::empty({own + halo, rows.size(1)}, rows.options());
  all.narrow(0, 0, own).copy_(rows);
  // Nobody hears the others of these rows, but 0 times them must be 0.
  if (is_last) all.narrow(0, own, halo).zero_();
  for (const Take& take : moves.parts[part].takes) {
    // No slot is there twice: nothing depends on an order.
    all.index_copy_(0, take.slots, taken(take, type_on_wire(rows)));
  }
  leave();
  return all;
}

// The rows of one source, rounded as if they came in a message.
at::Tensor DeviceExchange::taken(const Take& take,
                                 at::ScalarType on_wire) const {
  const at::Tensor& source = take.part < 0 ? received_ : rows_[take.part];
  const at::ScalarType wanted = rows_.front().scalar_type();
  return source.index_select(0, take.rows).to(on_wire).to(wanted);
}

// Returns when all have come and what other ranks sent is there.
void DeviceExchange::enter(int64_t part, const at::Tensor& rows,
                           const SideMoves& moves) {
  std::unique_lock<std::mutex> lock(mutex_);
  wait_until(lock, [this] { return !is_ready_; });
  for (const at::Tensor& others : rows_) {
    TORCH_CHECK(
        !others.defined() || (others.size(1) == rows.size(1) &&
                              others.scalar_type() == rows.scalar_type()),
        "parts of a graph fetch rows of different widths or types");
  }
  rank_progress().layer =
      std::min(round_ + 1, std::max<int64_t>(2 * layers_ - round_, 1));
  rows_[part] = rows;
  if (++came_ < parts_) {
    wait_until(lock, [this] { return is_ready_; });
    return;
  }
  lock.unlock();
  at::Tensor received = exchanged(moves);
  lock.lock();
  received_ = std::move(received);
  is_ready_ = true;
  changed_.notify_all();
}

at::Tensor DeviceExchange::exchanged(const SideMoves& moves) {
  if (group_.size() == 1) return {};
  const at::Tensor& first = rows_.front();
  const at::TensorOptions options = first.options().dtype(type_on_wire(first));
  at::Tensor send = at::empty({moves.sent, first.size(1)}, options);
  for (int64_t p = 0; p < parts_; ++p) {
    const PartMoves& part = moves.parts[p];
    send.index_copy_(
        0, part.pack_places,
        rows_[p].index_select(0, part.pack_rows).to(send.scalar_type()));
  }
  at::Tensor received = at::empty({moves.received, first.size(1)}, options);
  const auto in_bytes = [&](std::vector<int64_t> rows) {
    const auto row_bytes =
        first.size(1) * static_cast<int64_t>(send.element_size());
    for (int64_t& count : rows) count *= row_bytes;
    return rows;
  };
  group_.exchange(send, in_bytes(moves.send_rows), received,
                  in_bytes(moves.receive_rows));
  sent_.bytes += static_cast<int64_t>(send.nbytes());
  sent_.expected += static_cast<double>(send.nbytes());
  return received;
}

void DeviceExchange::leave() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (++left_ < parts_) return;
  rows_.assign(parts_, at::Tensor());
  received_.reset();
  came_ = left_ = 0;
  ++round_;
  is_ready_ = false;
  changed_.notify_all();
}

}  // namespace ordered_gnn::scale
