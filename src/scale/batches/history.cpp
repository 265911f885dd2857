#include "scale/batches/history.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <cstring>

namespace ordered_gnn::scale {
namespace {

class MemoryHistory : public HistoryStore {
 public:
  explicit MemoryHistory(const std::vector<std::vector<int64_t>>& heard)
      : kept_(heard.size()) {
    for (const std::vector<int64_t>& rows : heard) {
      heard_.push_back(at::tensor(rows, at::kLong));
    }
  }

  void write(int64_t part, int64_t sum, const at::Tensor& rows) override {
    const at::NoGradGuard no_grad;
    std::vector<at::Tensor>& sums = kept_.at(part);
    if (static_cast<int64_t>(sums.size()) <= sum) sums.resize(sum + 1);
    at::Tensor& kept = sums[sum];
    if (!kept.defined()) {
      kept = at::empty({heard_[part].numel(), rows.size(1)}, rows.options());
    }
    at::index_select_out(kept, rows.detach(), 0, heard_[part]);
  }

  void read(int64_t part, int64_t sum, const Copies& copies,
            at::Tensor& out) const override {
    const std::vector<at::Tensor>& sums = kept_.at(part);
    TORCH_CHECK(static_cast<int64_t>(sums.size()) > sum, "part ", part,
                " has no history of its sum ", sum);
    const at::Tensor& kept = sums[sum];
    TORCH_CHECK(kept.size(1) == out.size(1) && kept.dtype() == out.dtype(),
                "the history of part ", part, " has rows of ", kept.size(1),
                " numbers, not ", out.size(1));
    const auto bytes =
        static_cast<size_t>(out.size(1)) * static_cast<size_t>(out.itemsize());
    const auto* const from = static_cast<const char*>(kept.data_ptr());
    auto* const to = static_cast<char*>(out.data_ptr());
    for (size_t i = 0; i < copies.kept.size(); ++i) {
      std::memcpy(to + copies.slots[i] * bytes, from + copies.kept[i] * bytes,
                  bytes);
    }
  }

 private:
  std::vector<at::Tensor> heard_;
  std::vector<std::vector<at::Tensor>> kept_;  ///< by part and sum
};

}  // namespace

std::unique_ptr<HistoryStore> make_memory_history(
    const std::vector<std::vector<int64_t>>& heard) {
  return std::make_unique<MemoryHistory>(heard);
}

}  // namespace ordered_gnn::scale
