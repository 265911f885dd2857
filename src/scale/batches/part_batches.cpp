#include "scale/batches/part_batches.h"

#include <ATen/Functions.h>

#include <algorithm>
#include <cstring>

#include "scale/ranks/halo_degrees.h"
#include "train/batch_order.h"

namespace ordered_gnn::scale {

using ExchangeSide = core::RowExchange::Side;

class PartBatches::Side : public core::RowExchange {
 public:
  Side(PartBatches& batches, int64_t part,
       std::shared_ptr<core::RowExchange> whole)
      : batches_(batches), part_(part), whole_(std::move(whole)) {}

  at::Tensor fetch(const at::Tensor& rows, ExchangeSide side) override {
    return batches_.fetch(part_, *whole_, rows, side);
  }

 private:
  PartBatches& batches_;
  const int64_t part_;
  const std::shared_ptr<core::RowExchange> whole_;
};

PartBatches::PartBatches(Group& group, const PartsManifest& manifest,
                         const std::vector<LocalLists>& lists,
                         const BatchSettings& settings)
    : group_(group),
      settings_(settings),
      count_(training::batches_per_epoch(manifest.num_parts(), settings.parts)),
      team_(std::min(settings.parts, manifest.num_parts()), settings.threads),
      sums_(lists.size(), 0),
      is_member_(lists.size(), false),
      exchanges_(lists.size()) {
  std::vector<std::vector<int64_t>> heard;
  halos_ = batch_halos(manifest, lists, heard);
  if (settings.history) history_ = make_memory_history(heard);
}

std::shared_ptr<core::RowExchange> PartBatches::exchange_of(
    int64_t part, std::shared_ptr<core::RowExchange> whole) {
  return std::make_shared<Side>(*this, part, std::move(whole));
}

void PartBatches::begin_whole() {
  exact_for_.clear();
  std::fill(sums_.begin(), sums_.end(), 0);
}

void PartBatches::end_whole(const NodeModel& model) {
  for (const at::Tensor& parameter : model.parameters()) {
    exact_for_.push_back(parameter.detach().clone());
  }
}

bool PartBatches::is_exact(const NodeModel& model) const {
  if (!history_) return true;
  const std::vector<at::Tensor> now = model.parameters();
  return !exact_for_.empty() &&
         std::equal(now.begin(), now.end(), exact_for_.begin(),
                    exact_for_.end(),
                    [](const at::Tensor& a, const at::Tensor& b) {
                      return a.equal(b);
                    });
}

void PartBatches::begin(const std::vector<int64_t>& members) {
  exact_for_.clear();
  std::fill(sums_.begin(), sums_.end(), 0);
  std::fill(is_member_.begin(), is_member_.end(), false);
  routes_ = batch_routes(halos_, members);
  exchange_ =
      std::make_unique<HaloExchange>(group_, routes_, team_, settings_.layers);
  for (size_t i = 0; i < members.size(); ++i) {
    const int64_t part = members[i];
    is_member_[part] = true;
    exchanges_[part] =
        exchange_->of_part(static_cast<int64_t>(i), halos_[part].halo);
  }
}

std::vector<int64_t> PartBatches::run(int64_t epoch, int64_t batch,
                                      const Body& body) {
  const std::vector<int64_t> members =
      training::draw_batches(static_cast<int64_t>(halos_.size()),
                             settings_.parts, settings_.seed, epoch)
          .at(batch);
  begin(members);
  const auto size = static_cast<int64_t>(members.size());
  const double weight =
      static_cast<double>(halos_.size()) / static_cast<double>(size);
  team_.run(
      [&](int64_t i) {
        if (i < size) body(members[i], weight);
      },
      [this] { exchange_->abort(); });
  exchange_.reset();
  return members;
}

Graph PartBatches::graph_of(int64_t part, const Graph& whole) const {
  if (history_) return whole;
  const BatchHalo& halo = halos_[part];
  std::vector<bool> is_present(halo.halo, false);
  std::vector<int64_t> receive_only;
  for (const OwnedHalo& owned : halo.owners) {
    if (!is_member_[owned.owner]) continue;
    for (const PartRoutes::Take& take : owned.in) {
      is_present[take.slot - halo.rows] = true;
    }
    for (const PartRoutes::Take& take : owned.out) {
      if (is_present[take.slot - halo.rows]) continue;
      is_present[take.slot - halo.rows] = true;
      receive_only.push_back(take.slot);
    }
  }
  Adjacency in = lists_within(whole.in(), halo.rows, is_present);
  Adjacency out = lists_within(whole.out(), halo.rows, is_present);
  const at::Tensor degrees =
      degrees_with_halo(in.rowptr, receive_only, *exchanges_[part]);
  return Graph::of_part(std::move(in), std::move(out), degrees,
                        exchanges_[part]);
}

at::Tensor PartBatches::fetch(int64_t part, core::RowExchange& whole,
                              const at::Tensor& rows, ExchangeSide side) {
  const bool is_sum = side == ExchangeSide::in;
  const int64_t sum = is_sum ? sums_[part]++ : 0;
  if (is_sum && history_) history_->write(part, sum, rows);
  if (!exchange_) return whole.fetch(rows, side);
  at::Tensor all = exchanges_[part]->fetch(rows, side);
  add_absent(part, sum, side, all);
  return all;
}

// What the part's lists name of parts that are not in the batch.
void PartBatches::add_absent(int64_t part, int64_t sum, ExchangeSide side,
                             at::Tensor& rows) const {
  const auto bytes = static_cast<size_t>(rows.size(1)) * rows.itemsize();
  auto* const to = static_cast<char*>(rows.data_ptr());
  for (const OwnedHalo& owned : halos_[part].owners) {
    if (is_member_[owned.owner]) continue;
    if (side == ExchangeSide::in) {
      history_->read(owned.owner, sum, owned.heard, rows);
      continue;
    }
    for (const PartRoutes::Take& take : owned.out) {
      std::memset(to + take.slot * bytes, 0, bytes);
    }
  }
}

}  // namespace ordered_gnn::scale
