#include "scale/ranks/halo_exchange.h"

#include <ATen/Functions.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>

#include "ordered_gnn/core/error.h"
#include "scale/ranks/rank_progress.h"

namespace ordered_gnn::scale {
namespace {

// A row of bytes of a contiguous matrix.
char* row_bytes(const at::Tensor& matrix, int64_t row) {
  return static_cast<char*>(matrix.data_ptr()) +
         row * matrix.size(1) * static_cast<int64_t>(matrix.element_size());
}

int64_t width_bytes(const at::Tensor& matrix) {
  return matrix.size(1) * static_cast<int64_t>(matrix.element_size());
}

// A row on its way: copied, or rounded to 16 bits or back.
void move_row(const at::Tensor& from, int64_t row, const at::Tensor& to,
              int64_t place) {
  const int64_t dim = from.size(1);
  if (from.scalar_type() == to.scalar_type()) {
    std::memcpy(row_bytes(to, place), row_bytes(from, row),
                static_cast<size_t>(width_bytes(from)));
  } else if (to.scalar_type() == at::kBFloat16) {
    const float* const in = from.data_ptr<float>() + row * dim;
    auto* const out = to.data_ptr<c10::BFloat16>() + place * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = c10::BFloat16(in[d]);
  } else {
    const auto* const in = from.data_ptr<c10::BFloat16>() + row * dim;
    float* const out = to.data_ptr<float>() + place * dim;
    for (int64_t d = 0; d < dim; ++d) out[d] = static_cast<float>(in[d]);
  }
}

// A row of another part of this rank, as it would arrive from elsewhere.
void take_rounded(const at::Tensor& from, int64_t row, const at::Tensor& to,
                  int64_t place) {
  const int64_t dim = from.size(1);
  const float* const in = from.data_ptr<float>() + row * dim;
  float* const out = to.data_ptr<float>() + place * dim;
  for (int64_t d = 0; d < dim; ++d) {
    out[d] = static_cast<float>(c10::BFloat16(in[d]));
  }
}

std::vector<int64_t> times(std::vector<int64_t> rows, int64_t bytes) {
  for (int64_t& count : rows) count *= bytes;
  return rows;
}

}  // namespace

class HaloExchange::PartSide : public core::RowExchange {
 public:
  PartSide(HaloExchange& exchange, int64_t part, int64_t halo)
      : exchange_(exchange), part_(part), halo_(halo) {}

  at::Tensor fetch(const at::Tensor& rows, Side side) override {
    return exchange_.fetch(part_, halo_, rows, side);
  }

 private:
  HaloExchange& exchange_;
  const int64_t part_, halo_;
};

HaloExchange::HaloExchange(Group& group, const RankRoutes& routes,
                           PartTeam& team, int64_t layers, Wire wire)
    : group_(group),
      routes_(routes),
      team_(team),
      layers_(layers),
      wire_(wire),
      parts_(static_cast<int64_t>(routes.in.parts.size())),
      visits_(parts_, 0) {
  reset();
}

std::shared_ptr<core::RowExchange> HaloExchange::of_part(int64_t part,
                                                         int64_t halo) {
  return std::make_shared<PartSide>(*this, part, halo);
}

void HaloExchange::abort() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = true;
  met_.notify_all();
}

void HaloExchange::reset() {
  const std::lock_guard<std::mutex> lock(mutex_);
  is_aborted_ = false;
  rounds_met_ = 0;
  visits_.assign(parts_, 0);
  for (Round& round : rounds_) {
    round = Round();
    round.rows.resize(parts_);
  }
}

at::Tensor HaloExchange::fetch(int64_t part, int64_t halo,
                               const at::Tensor& given,
                               core::RowExchange::Side which) {
  TORCH_CHECK(given.dim() == 2, "rows of a part must be [n, D], got ",
              given.sizes());
  const SideRoutes& side =
      which == core::RowExchange::Side::in ? routes_.in : routes_.out;
  const at::Tensor rows = given.detach().contiguous();
  // A graph of one part has nobody to meet; one in a batch by itself may have
  // neighbours outside.
  if (parts_ == 1 && group_.size() == 1 && halo == 0) return rows;
  Round& round = enter(part, rows, side);
  const at::Tensor out =
      at::empty({rows.size(0) + halo, rows.size(1)}, rows.options());
  std::memcpy(out.data_ptr(), rows.data_ptr(), rows.nbytes());
  meet(round, side);
  const bool is_rounded = type_on_wire(rows) != rows.scalar_type();
  for (const PartRoutes::Take& take : side.parts[part].takes) {
    if (take.part >= 0 && is_rounded) {
      take_rounded(round.rows[take.part], take.row, out, take.slot);
    } else {
      move_row(take.part < 0 ? round.receive : round.rows[take.part], take.row,
               out, take.slot);
    }
  }
  leave(round);
  return out;
}

at::ScalarType HaloExchange::type_on_wire(const at::Tensor& rows) const {
  const bool narrow = wire_ == Wire::bf16 && rows.scalar_type() == at::kFloat;
  return narrow ? at::kBFloat16 : rows.scalar_type();
}

HaloExchange::Round& HaloExchange::enter(int64_t part, const at::Tensor& rows,
                                         const SideRoutes& side) {
  Round* round = nullptr;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    round = &rounds_[visits_[part]++ % 2];
    if (!round->send.defined()) {
      const at::TensorOptions options =
          rows.options().dtype(type_on_wire(rows));
      round->send = at::empty({side.sent(), rows.size(1)}, options);
      round->receive = at::empty({side.received(), rows.size(1)}, options);
    }
    round->rows[part] = rows;
  }
  TORCH_CHECK(round->send.size(1) == rows.size(1) &&
                  round->send.scalar_type() == type_on_wire(rows),
              "parts of a graph fetch rows of different widths");
  for (const PartRoutes::Pack& pack : side.parts[part].packs) {
    move_row(rows, pack.row, round->send, pack.place);
  }
  return *round;
}

void HaloExchange::meet(Round& round, const SideRoutes& side) {
  bool is_last = false;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    is_last = ++round.arrived == parts_;
  }
  if (is_last) {
    ++rounds_met_;
    rank_progress().layer = std::min(
        rounds_met_, std::max<int64_t>(2 * layers_ + 1 - rounds_met_, 1));
    const int64_t bytes = width_bytes(round.send);
    if (group_.size() > 1) {
      group_.exchange(round.send, times(side.send_rows, bytes), round.receive,
                      times(side.receive_rows, bytes));
    }
    sent_bytes_ += side.sent() * bytes;
    const std::lock_guard<std::mutex> lock(mutex_);
    round.is_done = true;
    met_.notify_all();
    return;
  }
  team_.pause();
  bool is_aborted = false;
  {
    std::unique_lock<std::mutex> lock(mutex_);
    met_.wait(lock, [&] { return round.is_done || is_aborted_; });
    is_aborted = !round.is_done;
  }
  team_.resume();
  if (is_aborted) fail("another part of the graph could not be computed");
}

void HaloExchange::leave(Round& round) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (++round.left < parts_) return;
  round = Round();
  round.rows.resize(parts_);
}

}  // namespace ordered_gnn::scale
