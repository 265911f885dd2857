#include "scale/ranks/asked_rows.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <tuple>

#include "ordered_gnn/core/philox.h"
#include "scale/parts/plan.h"

namespace ordered_gnn::scale {
namespace {

// Any number: the draws need only be the same for both ends of a message.
constexpr uint64_t kTrainedKey = 0x7261696e;

void copy_answer(const std::vector<int64_t>& values, at::Tensor& receive) {
  TORCH_CHECK(receive.scalar_type() == at::kLong &&
                  receive.numel() == static_cast<int64_t>(values.size()),
              "a rank without others was asked for ", receive.numel(),
              " numbers, and has ", values.size());
  std::copy(values.begin(), values.end(), receive.data_ptr<int64_t>());
}

}  // namespace

bool AskedRows::Row::operator<(const Row& other) const {
  return std::tie(rank, node) < std::tie(other.rank, other.node);
}

AskedRows::AskedRows(const PartsManifest& manifest, int64_t rank, int64_t ranks,
                     double trained_share)
    : manifest_(manifest),
      bounds_(rank_bounds(manifest.bounds, ranks)),
      rank_(rank),
      ranks_(ranks),
      trained_share_(trained_share) {}

int64_t AskedRows::rank_of(int64_t node) const {
  const int64_t part = manifest_.part_of(node);
  return std::upper_bound(bounds_.begin(), bounds_.end(), part) -
         bounds_.begin() - 1;
}

bool AskedRows::is_trained(int64_t node) const {
  const uint32_t word =
      Philox::block(kTrainedKey, static_cast<uint64_t>(node), 0)[0];
  return word < trained_share_ * 4294967296.0;
}

void AskedRows::add(const Part& part) {
  const at::Tensor trained =
      part.splits[0].eq(1).logical_and(part.labels.ge(0)).contiguous();
  const bool* const own_trained = trained.data_ptr<bool>();
  const auto collect = [&](const Adjacency& lists, bool by_sender, Rows& rows) {
    const at::Tensor col = lists.col.to(at::kLong);
    const int64_t* const other = col.data_ptr<int64_t>();
    const int64_t* const rowptr = lists.rowptr.data_ptr<int64_t>();
    Rows of_node;
    for (int64_t v = 0; v < part.rows(); ++v) {
      of_node.clear();
      for (int64_t e = rowptr[v]; e < rowptr[v + 1]; ++e) {
        const int64_t rank = rank_of(other[e]);
        if (rank == rank_) continue;
        of_node.push_back({rank, part.first + v,
                           by_sender ? is_trained(other[e]) : own_trained[v]});
      }
      std::sort(of_node.begin(), of_node.end());
      for (const Row& row : of_node) {
        const bool is_new =
            rows.empty() || rows.back() < row || row < rows.back();
        if (is_new) {
          rows.push_back(row);
        } else {
          rows.back().is_for_loss = rows.back().is_for_loss || row.is_for_loss;
        }
      }
    }
    std::sort(rows.begin(), rows.end());
  };
  collect(part.out, /*by_sender=*/true, in_);
  collect(part.in, /*by_sender=*/false, out_);
}

std::vector<int64_t> AskedRows::counts(const Rows& rows, bool for_loss) const {
  std::vector<int64_t> counts(ranks_, 0);
  for (const Row& row : rows) {
    if (!for_loss || row.is_for_loss) ++counts[row.rank];
  }
  return counts;
}

std::vector<int64_t> AskedRows::nodes(const Rows& rows, bool for_loss) const {
  std::vector<int64_t> nodes;
  for (const Row& row : rows) {
    if (!for_loss || row.is_for_loss) nodes.push_back(row.node);
  }
  return nodes;
}

int64_t AskedRows::asked_in() const { return static_cast<int64_t>(in_.size()); }

void AskedRows::answer(const at::Tensor& send, at::Tensor& receive) {
  constexpr int64_t kExchanges = 5;
  const int64_t call = calls_ % kExchanges;
  const bool for_loss = calls_ >= kExchanges;
  ++calls_;
  if (call == kExchanges - 1) {
    // Masks of the rank's own nodes do as well as those of others.
    const int64_t sent = send.numel();
    const int64_t* const from = send.data_ptr<int64_t>();
    for (int64_t i = 0; i < receive.numel(); ++i) {
      receive.data_ptr<int64_t>()[i] = sent > 0 ? from[i % sent] : i;
    }
    return;
  }
  const Rows& rows = call < 2 ? in_ : out_;
  copy_answer(call % 2 == 0 ? counts(rows, for_loss) : nodes(rows, for_loss),
              receive);
}

}  // namespace ordered_gnn::scale
