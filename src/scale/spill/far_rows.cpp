// Buffers that an engine reads or writes are plain memory: a system call that
// meets a page of the PagedMemory that is not there fails instead of waiting.
#include "scale/spill/far_rows.h"

#include <ATen/Functions.h>
#include <c10/util/BFloat16.h>

#include <algorithm>
#include <cstring>
#include <functional>
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

// Calls visit(part, begin, end) for the runs of ids[first, last) that are of
// one part.
void for_parts(const PartsManifest& manifest, const std::vector<int64_t>& ids,
               int64_t first, int64_t last,
               const std::function<void(int64_t, int64_t, int64_t)>& visit) {
  while (first < last) {
    const int64_t part = manifest.part_of(ids[first]);
    const int64_t end =
        std::lower_bound(ids.begin() + first, ids.begin() + last,
                         manifest.bounds[part + 1]) -
        ids.begin();
    visit(part, first, end);
    first = end;
  }
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

// A tensor for every part, so that none is larger than one of a part's own.
void FarRows::make_room(const Routes& routes, int64_t dim,
                        const at::TensorOptions& options,
                        std::vector<at::Tensor>& rows) const {
  for_parts(manifest_, routes.needed, 0,
            static_cast<int64_t>(routes.needed.size()),
            [&](int64_t part, int64_t begin, int64_t end) {
              rows[part] = at::empty({end - begin, dim}, options);
            });
}

int64_t FarRows::rows_at_a_time(int64_t row_bytes) const {
  return std::max<int64_t>(1, piece_ / (row_bytes * (group_.size() - 1)));
}

FarRows::Piece FarRows::piece_of(const std::vector<int64_t>& begin,
                                 int64_t step, int64_t row_bytes) const {
  Piece piece;
  const int64_t most = rows_at_a_time(row_bytes);
  int64_t all = 0;
  for (int64_t r = 0; r < group_.size(); ++r) {
    piece.first.push_back(std::min(begin[r] + step * most, begin[r + 1]));
    piece.rows.push_back(std::min(most, begin[r + 1] - piece.first.back()));
    piece.bytes.push_back(piece.rows.back() * row_bytes);
    all += piece.bytes.back();
  }
  piece.values.resize(static_cast<size_t>(all));
  return piece;
}

void FarRows::fetch(Side side, std::vector<at::Tensor>& rows) {
  const Routes& route = routes(side);
  const at::Tensor& own = rows[bounds_[group_.rank()]];
  const int64_t dim = own.size(1);
  const bool is_rounded =
      wire_ == Wire::bf16 && own.scalar_type() == at::kFloat;
  const int64_t row_bytes =
      dim * (is_rounded ? wire_bytes_per_value(wire_)
                        : static_cast<int64_t>(own.element_size()));
  make_room(route, dim, own.options(), rows);
  for (int64_t step = 0;; ++step) {
    Piece sent = piece_of(route.asked_begin, step, row_bytes);
    Piece received = piece_of(route.needed_begin, step, row_bytes);
    if (sent.values.empty() && received.values.empty()) break;
    pack(route, rows, is_rounded, sent);
    at::Tensor into = bytes_at(received.values.data(),
                               static_cast<int64_t>(received.values.size()));
    group_.exchange(
        bytes_at(sent.values.data(), static_cast<int64_t>(sent.values.size())),
        sent.bytes, into, received.bytes);
    unpack(route, received, is_rounded, rows);
    sent_ += static_cast<int64_t>(sent.values.size());
  }
}

void FarRows::pack(const Routes& routes, const std::vector<at::Tensor>& rows,
                   bool is_rounded, Piece& piece) const {
  std::vector<char> wide;
  if (is_rounded) wide.resize(2 * piece.values.size());
  char* to = is_rounded ? wide.data() : piece.values.data();
  for (int64_t r = 0; r < group_.size(); ++r) {
    for_parts(manifest_, routes.asked, piece.first[r],
              piece.first[r] + piece.rows[r],
              [&](int64_t part, int64_t begin, int64_t end) {
                const at::Tensor& own = rows[part];
                const int64_t bytes =
                    own.size(1) * static_cast<int64_t>(own.element_size());
                RowReader reader(memory_, own);
                for (int64_t i = begin; i < end; ++i, to += bytes) {
                  reader.take(routes.asked[i] - manifest_.bounds[part], to);
                }
                reader.flush();
              });
  }
  if (is_rounded) narrow_values(wide, piece.values);
}

void FarRows::unpack(const Routes& routes, const Piece& piece, bool is_rounded,
                     std::vector<at::Tensor>& rows) const {
  const char* from = piece.values.data();
  for (int64_t r = 0; r < group_.size(); ++r) {
    for_parts(
        manifest_, routes.needed, piece.first[r],
        piece.first[r] + piece.rows[r],
        [&](int64_t part, int64_t begin, int64_t end) {
          const int64_t first =
              std::lower_bound(routes.needed.begin(), routes.needed.end(),
                               manifest_.bounds[part]) -
              routes.needed.begin();
          const int64_t dim = rows[part].size(1);
          const int64_t values = (end - begin) * dim;
          if (is_rounded) {
            const auto* const narrow =
                reinterpret_cast<const c10::BFloat16*>(from);
            std::copy(narrow, narrow + values,
                      rows[part].data_ptr<float>() + (begin - first) * dim);
            from += values * static_cast<int64_t>(sizeof(c10::BFloat16));
            return;
          }
          const int64_t size = static_cast<int64_t>(rows[part].element_size());
          std::memcpy(static_cast<char*>(rows[part].data_ptr()) +
                          (begin - first) * dim * size,
                      from, static_cast<size_t>(values * size));
          from += values * size;
        });
  }
}

}  // namespace ordered_gnn::scale
