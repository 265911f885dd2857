#include "scale/spill/spilled_exchange.h"

#include <ATen/Functions.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>

#include "scale/ranks/rank_progress.h"
#include "scale/spill/row_reader.h"

namespace ordered_gnn::scale {
namespace {

at::Tensor flags_of(const std::vector<bool>& flags) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(flags.size())}, at::kBool);
  std::copy(flags.begin(), flags.end(), out.data_ptr<bool>());
  return out;
}

// As it would arrive on the wire.
void round_row(float* row, int64_t dim) {
  for (int64_t d = 0; d < dim; ++d) {
    row[d] = static_cast<float>(c10::BFloat16(row[d]));
  }
}

}  // namespace

const bool* SpilledExchange::Halo::wanted(core::RowExchange::Side side) const {
  return (side == core::RowExchange::Side::in ? sends : receives)
      .data_ptr<bool>();
}

class SpilledExchange::PartSide : public core::RowExchange {
 public:
  PartSide(SpilledExchange& exchange, int64_t place,
           std::shared_ptr<const Halo> halo)
      : exchange_(exchange), place_(place), halo_(std::move(halo)) {}

  at::Tensor fetch(const at::Tensor& rows, Side side) override {
    return exchange_.fetch(place_, *halo_, rows, side);
  }

  // Reading rows again costs less than writing and reading their sums.
  bool keeps_sums() const override { return false; }

 private:
  SpilledExchange& exchange_;
  const int64_t place_;
  const std::shared_ptr<const Halo> halo_;
};

SpilledExchange::SpilledExchange(Group& group, PagedMemory& memory,
                                 TurnTeam& team, const PartsManifest& manifest,
                                 const std::vector<int64_t>& bounds,
                                 int64_t layers, Wire wire)
    : ranks_(group.size()),
      memory_(memory),
      team_(team),
      manifest_(manifest),
      first_part_(bounds[group.rank()]),
      own_parts_(bounds[group.rank() + 1] - first_part_),
      layers_(layers),
      wire_(wire),
      halos_(static_cast<size_t>(own_parts_)),
      far_(group, memory, manifest, bounds, wire) {
  reset();
}

void SpilledExchange::reset() {
  far_.reset();
  for (auto& round : rounds_) round.reset();
  visits_.assign(static_cast<size_t>(own_parts_), 0);
}

std::shared_ptr<core::RowExchange> SpilledExchange::of_part(
    int64_t place, const LocalLists& lists) {
  auto halo = std::make_shared<Halo>();
  halo->nodes = at::empty({static_cast<int64_t>(lists.halo.size())}, at::kLong);
  std::copy(lists.halo.begin(), lists.halo.end(),
            halo->nodes.data_ptr<int64_t>());
  halo->sends = flags_of(lists.sends);
  halo->receives = flags_of(lists.receives);
  halos_[place] = halo;
  return std::make_shared<PartSide>(*this, place, std::move(halo));
}

// Forward a layer fetches once, backward twice: its sums are made again.
int64_t SpilledExchange::layer_of(int64_t visit) const {
  return visit < layers_
             ? visit + 1
             : std::max<int64_t>(1, layers_ - (visit - layers_) / 2);
}

at::Tensor SpilledExchange::fetch(int64_t place, const Halo& halo,
                                  const at::Tensor& given,
                                  core::RowExchange::Side side) {
  TORCH_CHECK(given.dim() == 2, "rows of a part must be [n, D], got ",
              given.sizes());
  at::Tensor rows = given.detach().contiguous();
  const int64_t parts = manifest_.num_parts();
  if (parts == 1) return rows;
  const int64_t visit = visits_[place]++;
  rank_progress().layer = layer_of(visit);
  if (place == 0) {
    rounds_[visit % 2] = std::make_shared<FarRounds::Round>(side, parts);
    far_.begin(rounds_[visit % 2]);
  }
  const std::shared_ptr<FarRounds::Round> round = rounds_[visit % 2];
  far_.bring(*round, first_part_ + place, rows);
  team_.next_turn(place);
  if (place == 0 && ranks_ > 1 && !has_asked_) ask_others();
  const at::Tensor out = at::empty(
      {rows.size(0) + halo.nodes.numel(), rows.size(1)}, rows.options());
  std::memcpy(out.data_ptr(), rows.data_ptr(), rows.nbytes());
  take_halo(halo, *round, out.narrow(0, rows.size(0), halo.nodes.numel()));
  // The last part to take: what is still to be sent holds the rows itself.
  if (place == own_parts_ - 1) rounds_[visit % 2].reset();
  return out;
}

// When all parts of the rank have come for the first time, their halos are
// known.
void SpilledExchange::ask_others() {
  const int64_t first = manifest_.bounds[first_part_];
  const int64_t behind = manifest_.bounds[first_part_ + own_parts_];
  const auto needed = [&](core::RowExchange::Side side) {
    std::vector<int64_t> ids;
    for (const auto& halo : halos_) {
      const int64_t* const node = halo->nodes.data_ptr<int64_t>();
      const bool* const is_wanted = halo->wanted(side);
      for (int64_t i = 0; i < halo->nodes.numel(); ++i) {
        const bool is_own = node[i] >= first && node[i] < behind;
        if (is_wanted[i] && !is_own) ids.push_back(node[i]);
      }
    }
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    ids.shrink_to_fit();
    return ids;
  };
  far_.ask(needed(core::RowExchange::Side::in),
           needed(core::RowExchange::Side::out));
  has_asked_ = true;
}

void SpilledExchange::take_halo(const Halo& halo, const FarRounds::Round& round,
                                const at::Tensor& out) {
  const core::RowExchange::Side side = round.side;
  const int64_t* const node = halo.nodes.data_ptr<int64_t>();
  const bool* const is_wanted = halo.wanted(side);
  const int64_t count = halo.nodes.numel();
  char* const first = static_cast<char*>(out.data_ptr());
  const int64_t bytes = out.size(1) * static_cast<int64_t>(out.element_size());
  int64_t i = 0;
  for (int64_t p = 0; p < manifest_.num_parts(); ++p) {
    const int64_t end =
        std::lower_bound(node + i, node + count, manifest_.bounds[p + 1]) -
        node;
    i = std::find(is_wanted + i, is_wanted + end, true) - is_wanted;
    if (i == end) continue;
    const at::Tensor rows = far_.rows_of(round, p);
    RowReader reader(memory_, rows);
    for (; i < end; ++i) {
      if (is_wanted[i]) {
        reader.take(row_of(p, node[i], side), first + i * bytes);
      }
    }
    reader.flush();
  }
  if (wire_ != Wire::bf16 || out.scalar_type() != at::kFloat) return;
  for (i = 0; i < count; ++i) {
    if (is_wanted[i]) {
      round_row(reinterpret_cast<float*>(first + i * bytes), out.size(1));
    }
  }
}

// Where the row of a node is among those of its part that are here.
int64_t SpilledExchange::row_of(int64_t part, int64_t node,
                                core::RowExchange::Side side) const {
  const int64_t first = manifest_.bounds[part];
  if (part >= first_part_ && part < first_part_ + own_parts_) {
    return node - first;
  }
  const std::vector<int64_t>& far = far_.needed(side);
  return std::lower_bound(far.begin(), far.end(), node) -
         std::lower_bound(far.begin(), far.end(), first);
}

}  // namespace ordered_gnn::scale
