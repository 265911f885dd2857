#include "train/cuda/scored_nodes.h"

#include <ATen/Dispatch.h>
#include <ATen/Functions.h>
#include <c10/cuda/CUDAException.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "train/cuda/run_stream.h"
#include "train/ranked_metrics.h"

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
    case Metric::roc_auc:
      return cuda::EpochScore::roc_auc;
    default:
      return cuda::EpochScore::accuracy;
  }
}

// Pairs of all parts that an epoch counts: about a millisecond of an H200.
// Sorting is quicker for more.
constexpr int64_t kMostPairs = int64_t{1} << 31;

// The labelled nodes of a part, those of class 0 first.
struct ScoredPart {
  at::Tensor nodes;
  at::Tensor present;  ///< [classes] int64, on the CPU

  ScoredPart(const NodeDataset& data, const at::Tensor& part) {
    const at::Tensor labels = data.labels.index_select(0, part);
    const at::Tensor zero = part.masked_select(labels.eq(0));
    nodes = at::cat({zero, part.masked_select(labels.gt(0))});
    present = at::bincount(data.labels.index_select(0, nodes).cpu(), {},
                           data.num_classes)
                  .to(at::kLong);
  }
};

std::array<at::Tensor, cuda::kParts> parts_of(const NodeDataset& data,
                                              int64_t split) {
  const Split& parts = data.splits.at(split);
  return {parts.train, parts.val, parts.test};
}

bool has_countable_pairs(const NodeDataset& data, int64_t split) {
  if (data.num_classes != 2) return false;
  double pairs = 0;
  for (const at::Tensor& part : parts_of(data, split)) {
    const at::Tensor present = ScoredPart(data, part).present;
    pairs += static_cast<double>(present[0].item<int64_t>()) *
             static_cast<double>(present[1].item<int64_t>());
  }
  return pairs <= static_cast<double>(kMostPairs);
}

}  // namespace

bool ScoredNodes::can_score(const NodeDataset& data, int64_t split,
                            Metric metric) {
  switch (metric) {
    case Metric::accuracy:
    case Metric::macro_f1:
    case Metric::balanced_accuracy:
      return data.num_classes > 2 || has_countable_pairs(data, split);
    case Metric::roc_auc:
      return has_countable_pairs(data, split);
    case Metric::average_precision:
    case Metric::log_loss:
      break;
  }
  return false;
}

ScoredNodes::ScoredNodes(const NodeDataset& data, int64_t split,
                         int64_t capacity, bool decides)
    : num_classes_(data.num_classes),
      capacity_(capacity),
      decides_(decides),
      counts_pairs_(has_countable_pairs(data, split)) {
  std::vector<at::Tensor> nodes, present;
  int64_t end = 0;
  for (const at::Tensor& part : parts_of(data, split)) {
    const ScoredPart scored(data, part);
    positives_[nodes.size()] =
        end + (num_classes_ == 0 ? 0 : scored.present[0].item<int64_t>());
    ends_[nodes.size()] = end += scored.nodes.numel();
    nodes.push_back(scored.nodes);
    present.push_back(scored.present);
  }
  nodes_ = at::cat(nodes);
  labels_ = data.labels.index_select(0, nodes_);
  present_host_ = at::stack(present).contiguous();
  present_ = present_host_.to(nodes_.device());
  counts_ = at::zeros({cuda::score_counts(num_classes_)}, nodes_.options());
  pairs_ = at::zeros({cuda::kPairCounts}, nodes_.options());
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
    if (!counts_pairs_) return;
    cuda::PairCounts<scalar_t> pairs;
    pairs.logits = job.logits;
    pairs.nodes = job.nodes;
    std::copy(std::begin(ends_), std::end(ends_), pairs.ends);
    std::copy(std::begin(positives_), std::end(positives_), pairs.positives);
    pairs.pairs = pairs_.data_ptr<int64_t>();
    C10_CUDA_CHECK(cuda::launch_pair_counts(pairs, current_stream()));
  });
}

void ScoredNodes::end_epoch(cuda::EpochState* state, const at::Tensor& loss,
                            const TrainOptions& options) const {
  AT_DISPATCH_FLOATING_TYPES(loss.scalar_type(), "end_epoch", [&] {
    cuda::EndEpoch<scalar_t> job;
    job.state = state;
    job.loss = loss.data_ptr<scalar_t>();
    job.counts = counts_.data_ptr<int64_t>();
    job.pairs = pairs_.data_ptr<int64_t>();
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
      const int64_t* const nodes = present + index * num_classes_;
      Scores scores =
          score_counts({hits, hits + num_classes_, nodes, num_classes_});
      if (counts_pairs_) {
        const int64_t* const pairs = record + cuda::kRecordPairs + 2 * index;
        scores.roc_auc =
            roc_auc_of_pairs({pairs[0], pairs[1] != 0, nodes[1], nodes[0]});
      }
      return scores;
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
