#include "train/cuda/scored_nodes.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <cstring>
#include <limits>

#include "train/cuda/run_stream.h"

namespace ordered_gnn::training {
namespace {

double as_double(int64_t word) {
  double value;
  std::memcpy(&value, &word, sizeof(value));
  return value;
}

// Where the host decides, the device's score is not looked at.
cuda::EpochScore score_of(Metric metric) {
  switch (metric) {
    case Metric::macro_f1:
      return cuda::EpochScore::macro_f1;
    case Metric::balanced_accuracy:
      return cuda::EpochScore::balanced_accuracy;
    default:
      return cuda::EpochScore::accuracy;
  }
}

}  // namespace

ScoredNodes::ScoredNodes(const NodeDataset& data, int64_t split,
                         int64_t capacity, bool decides)
    : num_classes_(data.num_classes), capacity_(capacity), decides_(decides) {
  const Split& parts = data.splits.at(split);
  std::vector<at::Tensor> nodes, present;
  int64_t end = 0;
  for (const at::Tensor& part : {parts.train, parts.val, parts.test}) {
    const at::Tensor labelled =
        part.masked_select(data.labels.index_select(0, part).ge(0));
    ends_[nodes.size()] = end += labelled.numel();
    nodes.push_back(labelled);
    present.push_back(at::bincount(data.labels.index_select(0, labelled).cpu(),
                                   {}, num_classes_));
  }
  nodes_ = at::cat(nodes);
  labels_ = data.labels.index_select(0, nodes_);
  present_host_ = at::stack(present).to(at::kLong).contiguous();
  present_ = present_host_.to(nodes_.device());
  counts_ = at::zeros({cuda::score_counts(num_classes_)}, nodes_.options());
  records_ =
      at::zeros({capacity, cuda::record_words(num_classes_)}, nodes_.options());
}

void ScoredNodes::count(const at::Tensor& logits) const {
  AT_DISPATCH_FLOATING_TYPES(logits.scalar_type(), "score_counts", [&] {
    cuda::ScoreCounts<scalar_t> job;
    job.logits = logits.data_ptr<scalar_t>();
    job.nodes = nodes_.data_ptr<int64_t>();
    job.labels = labels_.data_ptr<int64_t>();
    std::copy(std::begin(ends_), std::end(ends_), job.ends);
    job.classes = static_cast<int>(num_classes_);
    job.counts = counts_.data_ptr<int64_t>();
    C10_CUDA_CHECK(cuda::launch_score_counts(job, current_stream()));
  });
}

void ScoredNodes::end_epoch(cuda::EpochState* state, const at::Tensor& loss,
                            const TrainOptions& options) const {
  AT_DISPATCH_FLOATING_TYPES(loss.scalar_type(), "end_epoch", [&] {
    cuda::EndEpoch<scalar_t> job;
    job.state = state;
    job.loss = loss.data_ptr<scalar_t>();
    job.counts = counts_.data_ptr<int64_t>();
    job.present = present_.data_ptr<int64_t>();
    job.records = records_.data_ptr<int64_t>();
    job.capacity = capacity_;
    job.classes = num_classes_;
    job.epochs = options.epochs;
    job.patience =
        decides_ ? options.patience : std::numeric_limits<int64_t>::max();
    job.score = score_of(options.metric);
    C10_CUDA_CHECK(cuda::launch_end_epoch(job, current_stream()));
  });
}

std::vector<EpochOutcome> ScoredNodes::outcomes(int64_t first,
                                                int64_t last) const {
  // One epoch alone is common and needs no copy of all the others.
  const bool single = first == last;
  const int64_t row = (first - 1) % capacity_;
  const at::Tensor records =
      (single ? records_.narrow(0, row, 1) : records_).cpu();
  const int64_t words = records.size(1);
  const int64_t* const present = present_host_.data_ptr<int64_t>();
  std::vector<EpochOutcome> outcomes;
  for (int64_t epoch = first; epoch <= last; ++epoch) {
    const int64_t* const record =
        records.data_ptr<int64_t>() +
        (single ? 0 : (epoch - 1) % capacity_) * words;
    const int64_t* const counts = record + cuda::kRecordCounts;
    const auto part = [&](int64_t index) {
      const int64_t* const hits = counts + 2 * index * num_classes_;
      return score_counts({hits, hits + num_classes_,
                           present + index * num_classes_, num_classes_});
    };
    EpochOutcome outcome;
    outcome.epoch = record[cuda::kRecordEpoch];
    outcome.loss = as_double(record[cuda::kRecordLoss]);
    outcome.lr = as_double(record[cuda::kRecordLr]);
    outcome.train = part(0);
    outcome.val = part(1);
    outcome.test = part(2);
    outcomes.push_back(outcome);
  }
  return outcomes;
}

}  // namespace ordered_gnn::training
