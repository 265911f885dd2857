// What a rank's parts say outside training, and how that comes to rank 0.
#include <torch/types.h>

#include "scale/ranks/part_run.h"

namespace ordered_gnn::scale {

at::Tensor logits_of(NodeModel& model, const Graph& graph,
                     const RankWork::PartRun& part) {
  const torch::NoGradGuard no_grad;
  model.eval();
  return model.forward(graph, part.features, {}).contiguous().to(torch::kCPU);
}

// Outside training, of all rows of every part.
void RankWork::compute_logits() {
  if (batches_) batches_->begin_whole();
  copy_parameters();
  run_parts(PassKind::evaluation, [](PartRun& part) {
    part.logits = logits_of(*part.model, part.graph, part);
  });
  if (batches_) batches_->end_whole(*model_);
}

void RankWork::predict(const OnPart& on_part) {
  compute_logits();
  const bool is_first = group_.rank() == 0;
  for (int64_t r = 0; r < group_.size(); ++r) {
    for (int64_t p = bounds_[r]; p < bounds_[r + 1]; ++p) {
      if (r == group_.rank()) {
        at::Tensor& logits = parts_[p - bounds_[r]]->logits;
        if (is_first) {
          on_part(p, logits);
        } else {
          // An engine cannot send what may be on a disk just then.
          group_.send(spill_ ? logits.clone() : logits, 0);
        }
        logits.reset();
      } else if (is_first) {
        at::Tensor logits =
            torch::empty({manifest_.rows_of(p), manifest_.num_classes});
        group_.receive(logits, r);
        on_part(p, logits);
      }
    }
  }
}

at::Tensor RankWork::evaluate() {
  compute_logits();
  return gather_logits();
}

// Of the scored nodes of all ranks, on rank 0.
at::Tensor RankWork::gather_logits() {
  std::vector<at::Tensor> own;
  for (const auto& part : parts_) {
    own.push_back(part->logits.index_select(0, part->scored));
    part->logits.reset();
  }
  const at::Tensor rows = torch::cat(own);
  const at::Tensor count = torch::full({1}, rows.size(0), torch::kLong);
  if (group_.rank() > 0) {
    group_.send(count, 0);
    if (rows.size(0) > 0) group_.send(rows, 0);
    return {};
  }
  std::vector<at::Tensor> all = {rows};
  for (int64_t r = 1; r < group_.size(); ++r) {
    at::Tensor others = torch::empty({1}, torch::kLong);
    group_.receive(others, r);
    at::Tensor received = torch::empty(
        {others.item<int64_t>(), manifest_.num_classes}, rows.options());
    if (received.size(0) > 0) group_.receive(received, r);
    all.push_back(received);
  }
  return torch::cat(all);
}

}  // namespace ordered_gnn::scale
