#include "scale/spill/spilled_exchange.h"

#include <ATen/Functions.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>

namespace ordered_gnn::scale {
namespace {

at::Tensor flags_of(const std::vector<bool>& flags) {
  const at::Tensor out =
      at::empty({static_cast<int64_t>(flags.size())}, at::kBool);
  std::copy(flags.begin(), flags.end(), out.data_ptr<bool>());
  return out;
}

// Rows of another part in the order of their places, in pieces: what lies close
// together on the disk is read at once, with what is between.
class RowReader {
 public:
  RowReader(PagedMemory& memory, const at::Tensor& rows)
      : memory_(memory),
        first_(static_cast<const char*>(rows.data_ptr())),
        bytes_(rows.size(1) * static_cast<int64_t>(rows.element_size())),
        is_on_disk_(memory.is_on_disk(first_)),
        gap_(kGap / bytes_),
        most_(std::max<int64_t>(1, kPiece / bytes_)) {}

  void take(int64_t row, char* to) {
    if (!is_on_disk_) {
      std::memcpy(to, first_ + row * bytes_, static_cast<size_t>(bytes_));
      return;
    }
    if (!wanted_.empty() && (row - wanted_.back().row > gap_ + 1 ||
                             row - wanted_.front().row >= most_)) {
      flush();
    }
    wanted_.push_back({row, to});
  }

  void flush() {
    if (wanted_.empty()) return;
    const int64_t begin = wanted_.front().row;
    const int64_t count = wanted_.back().row + 1 - begin;
    piece_.resize(static_cast<size_t>(count * bytes_));
    memory_.copy(first_ + begin * bytes_, count * bytes_, piece_.data());
    for (const Wanted& one : wanted_) {
      std::memcpy(one.to, piece_.data() + (one.row - begin) * bytes_,
                  static_cast<size_t>(bytes_));
    }
    wanted_.clear();
  }

 private:
  static constexpr int64_t kGap = int64_t{16} << 10;
  static constexpr int64_t kPiece = int64_t{1} << 20;
  struct Wanted {
    int64_t row;
    char* to;
  };

  PagedMemory& memory_;
  const char* const first_;
  const int64_t bytes_;
  const bool is_on_disk_;
  const int64_t gap_, most_;
  std::vector<Wanted> wanted_;
  std::vector<char> piece_;
};

// As it would arrive on the wire.
void round_row(float* row, int64_t dim) {
  for (int64_t d = 0; d < dim; ++d) {
    row[d] = static_cast<float>(c10::BFloat16(row[d]));
  }
}

}  // namespace

class SpilledExchange::PartSide : public core::RowExchange {
 public:
  PartSide(SpilledExchange& exchange, int64_t part, Halo halo)
      : exchange_(exchange), part_(part), halo_(std::move(halo)) {}

  at::Tensor fetch(const at::Tensor& rows, Side side) override {
    return exchange_.fetch(part_, halo_, rows, side);
  }

  // Reading rows again costs less than writing and reading their sums.
  bool keeps_sums() const override { return false; }

 private:
  SpilledExchange& exchange_;
  const int64_t part_;
  const Halo halo_;
};

SpilledExchange::SpilledExchange(PagedMemory& memory, TurnTeam& team,
                                 const PartsManifest& manifest, Wire wire)
    : memory_(memory), team_(team), manifest_(manifest), wire_(wire) {
  reset();
}

void SpilledExchange::reset() {
  const auto parts = static_cast<size_t>(manifest_.num_parts());
  for (std::vector<at::Tensor>& round : rounds_) {
    round.clear();
    round.resize(parts);
  }
  visits_.assign(parts, 0);
}

std::shared_ptr<core::RowExchange> SpilledExchange::of_part(
    int64_t part, const LocalLists& lists) {
  Halo halo;
  halo.nodes = at::empty({static_cast<int64_t>(lists.halo.size())}, at::kLong);
  std::copy(lists.halo.begin(), lists.halo.end(),
            halo.nodes.data_ptr<int64_t>());
  halo.sends = flags_of(lists.sends);
  halo.receives = flags_of(lists.receives);
  return std::make_shared<PartSide>(*this, part, std::move(halo));
}

at::Tensor SpilledExchange::fetch(int64_t part, const Halo& halo,
                                  const at::Tensor& given,
                                  core::RowExchange::Side side) {
  TORCH_CHECK(given.dim() == 2, "rows of a part must be [n, D], got ",
              given.sizes());
  at::Tensor rows = given.detach().contiguous();
  const int64_t parts = manifest_.num_parts();
  if (parts == 1) return rows;
  const int64_t visit = visits_[part]++;
  std::vector<at::Tensor>& round = rounds_[visit % 2];
  round[part] = rows;
  team_.next_turn(part);
  const at::Tensor out = at::empty(
      {rows.size(0) + halo.nodes.numel(), rows.size(1)}, rows.options());
  std::memcpy(out.data_ptr(), rows.data_ptr(), rows.nbytes());
  const bool is_in = side == core::RowExchange::Side::in;
  take_halo(halo, (is_in ? halo.sends : halo.receives).data_ptr<bool>(), round,
            out.narrow(0, rows.size(0), halo.nodes.numel()));
  // The last part to take: nobody needs the rows of this round any more.
  if (part == parts - 1) round.assign(static_cast<size_t>(parts), {});
  return out;
}

void SpilledExchange::take_halo(const Halo& halo, const bool* is_wanted,
                                const std::vector<at::Tensor>& rows,
                                const at::Tensor& out) {
  const int64_t* const node = halo.nodes.data_ptr<int64_t>();
  const int64_t count = halo.nodes.numel();
  const std::vector<int64_t>& bounds = manifest_.bounds;
  char* const first = static_cast<char*>(out.data_ptr());
  const int64_t bytes = out.size(1) * static_cast<int64_t>(out.element_size());
  const bool is_rounded =
      wire_ == Wire::bf16 && out.scalar_type() == at::kFloat;
  for (int64_t p = 0; p < manifest_.num_parts(); ++p) {
    const auto begin = std::lower_bound(node, node + count, bounds[p]) - node;
    const auto end = std::lower_bound(node, node + count, bounds[p + 1]) - node;
    if (begin == end) continue;
    RowReader reader(memory_, rows[p]);
    for (int64_t i = begin; i < end; ++i) {
      if (is_wanted[i]) reader.take(node[i] - bounds[p], first + i * bytes);
    }
    reader.flush();
    if (!is_rounded) continue;
    for (int64_t i = begin; i < end; ++i) {
      if (!is_wanted[i]) continue;
      round_row(reinterpret_cast<float*>(first + i * bytes), out.size(1));
    }
  }
}

}  // namespace ordered_gnn::scale
