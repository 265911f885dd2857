#include "scale/ranks/fold.h"

#include <ATen/Functions.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>

namespace ordered_gnn::scale {
namespace {

// A node of the tree is a run of parts; the rank of its first part has its sum.
class Fold {
 public:
  Fold(Group& group, const std::vector<int64_t>& bounds,
       std::vector<at::Tensor>& own)
      : group_(group),
        bounds_(bounds),
        own_(own),
        first_(bounds[group.rank()]),
        last_(bounds[group.rank() + 1]) {}

  // Undefined where another rank has it.
  at::Tensor sum(int64_t begin, int64_t end) {
    if (end <= first_ || begin >= last_) return {};
    if (end - begin == 1) return std::move(own_[begin - first_]);
    const int64_t middle = begin + (end - begin) / 2;
    at::Tensor left = sum(begin, middle);
    at::Tensor right = sum(middle, end);
    const int64_t owner = rank_of(begin), other = rank_of(middle);
    if (owner == group_.rank()) {
      if (other != owner) {
        right = at::empty_like(left);
        group_.receive(right, other);
      }
      return left.add_(right);
    }
    if (other == group_.rank()) group_.send(right, owner);
    return {};
  }

 private:
  int64_t rank_of(int64_t part) const {
    return std::upper_bound(bounds_.begin(), bounds_.end(), part) -
           bounds_.begin() - 1;
  }

  Group& group_;
  const std::vector<int64_t>& bounds_;
  std::vector<at::Tensor>& own_;
  const int64_t first_, last_;
};

}  // namespace

at::Tensor fold_parts(Group& group, const std::vector<int64_t>& bounds,
                      std::vector<at::Tensor> own) {
  const at::NoGradGuard no_grad;
  return Fold(group, bounds, own).sum(0, bounds.back());
}

}  // namespace ordered_gnn::scale
