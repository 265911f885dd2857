// Buffers that an engine reads or writes are plain memory: a system call that
// meets a page of the PagedMemory that is not there fails instead of waiting.
#include "scale/spill/far_rows.h"

#include <ATen/Functions.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>
#include <numeric>

#include "scale/spill/row_reader.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kIdBytes = sizeof(int64_t);

at::Tensor bytes_at(const void* data, int64_t bytes) {
  return at::from_blob(const_cast<void*>(data), {bytes}, at::kByte);
}

std::vector<int64_t> times(std::vector<int64_t> counts, int64_t factor) {
  for (int64_t& count : counts) count *= factor;
  return counts;
}

std::vector<int64_t> sums_before(const std::vector<int64_t>& counts) {
  std::vector<int64_t> sums(counts.size() + 1, 0);
  std::partial_sum(counts.begin(), counts.end(), sums.begin() + 1);
  return sums;
}

// Where the ids of a part are in ids[first, last), which rise.
std::pair<int64_t, int64_t> range_of_part(const PartsManifest& manifest,
                                          const std::vector<int64_t>& ids,
                                          int64_t first, int64_t last,
                                          int64_t part) {
  const auto place = [&](int64_t node) {
    return std::lower_bound(ids.begin() + first, ids.begin() + last, node) -
           ids.begin();
  };
  return {place(manifest.bounds[part]), place(manifest.bounds[part + 1])};
}

void narrow_values(const std::vector<char>& from, std::vector<char>& to) {
  const auto* const value = reinterpret_cast<const float*>(from.data());
  auto* const out = reinterpret_cast<c10::BFloat16*>(to.data());
  std::copy(value, value + from.size() / sizeof(float), out);
}

}  // namespace

FarRows::FarRows(Group& group, PagedMemory& memory,
                 const PartsManifest& manifest,
                 const std::vector<int64_t>& bounds, Wire wire, int64_t piece)
    : group_(group),
      memory_(memory),
      manifest_(manifest),
      bounds_(bounds),
      wire_(wire),
      piece_(piece) {}

void FarRows::ask(Side side, std::vector<int64_t> needed) {
  Routes& routes = side == Side::in ? in_ : out_;
  const int64_t ranks = group_.size();
  std::vector<int64_t> wanted(ranks, 0), asked(ranks, 0);
  for (int64_t r = 0; r < ranks; ++r) {
    const auto place = [&](int64_t part) {
      return std::lower_bound(needed.begin(), needed.end(),
                              manifest_.bounds[part]);
    };
    wanted[r] = place(bounds_[r + 1]) - place(bounds_[r]);
  }
  const std::vector<int64_t> one_each(ranks, kIdBytes);
  at::Tensor counts = bytes_at(asked.data(), ranks * kIdBytes);
  group_.exchange(bytes_at(wanted.data(), ranks * kIdBytes), one_each, counts,
                  one_each);
  routes.needed_begin = sums_before(wanted);
  routes.asked_begin = sums_before(asked);
  routes.needed = std::move(needed);
  routes.asked.resize(static_cast<size_t>(routes.asked_begin.back()));
  const auto ids = [](std::vector<int64_t>& all) {
    return bytes_at(all.data(), static_cast<int64_t>(all.size()) * kIdBytes);
  };
  at::Tensor received = ids(routes.asked);
  group_.exchange(ids(routes.needed), times(wanted, kIdBytes), received,
                  times(asked, kIdBytes));
}

bool FarRows::is_rounded(const at::Tensor& rows) const {
  return wire_ == Wire::bf16 && rows.scalar_type() == at::kFloat;
}

int64_t FarRows::row_bytes(const at::Tensor& rows) const {
  return rows.size(1) * (is_rounded(rows)
                             ? wire_bytes_per_value(wire_)
                             : static_cast<int64_t>(rows.element_size()));
}

int64_t FarRows::needed_of(Side side, int64_t part) const {
  const std::vector<int64_t>& ids = needed(side);
  const auto [first, last] =
      range_of_part(manifest_, ids, 0, static_cast<int64_t>(ids.size()), part);
  return last - first;
}

// Of rank after rank; an empty range where there is nothing to say.
void FarRows::add_rows(Piece& piece, std::pair<int64_t, int64_t> range,
                       int64_t number, int64_t row_bytes) const {
  const int64_t most =
      std::max<int64_t>(1, piece_ / (row_bytes * (group_.size() - 1)));
  const auto [first, last] = range;
  piece.first.push_back(std::min(first + number * most, last));
  piece.rows.push_back(std::min(most, last - piece.first.back()));
  piece.bytes.push_back(piece.rows.back() * row_bytes);
  piece.values.resize(piece.values.size() +
                      static_cast<size_t>(piece.bytes.back()));
}

FarRows::Piece FarRows::piece_to_send(Side side, int64_t place, int64_t number,
                                      const at::Tensor& like) const {
  const Routes& route = routes(side);
  const int64_t part = bounds_[group_.rank()] + place;
  Piece piece;
  for (int64_t r = 0; r < group_.size(); ++r) {
    add_rows(piece,
             range_of_part(manifest_, route.asked, route.asked_begin[r],
                           route.asked_begin[r + 1], part),
             number, row_bytes(like));
  }
  return piece;
}

FarRows::Piece FarRows::piece_to_receive(Side side, int64_t place,
                                         int64_t number,
                                         const at::Tensor& like) const {
  const Routes& route = routes(side);
  Piece piece;
  for (int64_t r = 0; r < group_.size(); ++r) {
    const int64_t part = bounds_[r] + place;
    const std::pair<int64_t, int64_t> none{0, 0};
    add_rows(piece,
             part >= bounds_[r + 1]
                 ? none
                 : range_of_part(manifest_, route.needed, route.needed_begin[r],
                                 route.needed_begin[r + 1], part),
             number, row_bytes(like));
  }
  return piece;
}

void FarRows::pack(Side side, const at::Tensor& own, Piece& piece) const {
  const std::vector<int64_t>& asked = routes(side).asked;
  std::vector<char> wide;
  if (is_rounded(own)) wide.resize(2 * piece.values.size());
  char* to = is_rounded(own) ? wide.data() : piece.values.data();
  const int64_t bytes = own.size(1) * static_cast<int64_t>(own.element_size());
  for (int64_t r = 0; r < group_.size(); ++r) {
    if (piece.rows[r] == 0) continue;
    const int64_t first =
        manifest_.bounds[manifest_.part_of(asked[piece.first[r]])];
    // One for each: rows of a reader rise.
    RowReader reader(memory_, own);
    for (int64_t i = 0; i < piece.rows[r]; ++i, to += bytes) {
      reader.take(asked[piece.first[r] + i] - first, to);
    }
    reader.flush();
  }
  if (is_rounded(own)) narrow_values(wide, piece.values);
}

void FarRows::unpack(Side side, const Piece& piece,
                     std::vector<at::Tensor>& rows) const {
  const std::vector<int64_t>& ids = needed(side);
  const char* from = piece.values.data();
  for (int64_t r = 0; r < group_.size(); ++r) {
    if (piece.rows[r] == 0) continue;
    const int64_t part = manifest_.part_of(ids[piece.first[r]]);
    const at::Tensor& there = rows[part];
    const int64_t first =
        range_of_part(manifest_, ids, 0, static_cast<int64_t>(ids.size()), part)
            .first;
    const int64_t begin = (piece.first[r] - first) * there.size(1);
    if (is_rounded(there)) {
      const auto* const narrow = reinterpret_cast<const c10::BFloat16*>(from);
      std::copy(narrow, narrow + piece.rows[r] * there.size(1),
                there.data_ptr<float>() + begin);
    } else {
      std::memcpy(static_cast<char*>(there.data_ptr()) +
                      begin * static_cast<int64_t>(there.element_size()),
                  from, static_cast<size_t>(piece.bytes[r]));
    }
    from += piece.bytes[r];
  }
}

}  // namespace ordered_gnn::scale
