// Loss and scores of a run on the GPU against the CPU.
#include "train/cuda/kernels/scores.h"

#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>

#include <cmath>
#include <limits>
#include <vector>

#include "cuda/cuda_support.h"
#include "ordered_gnn/ops/cross_entropy.h"
#include "ordered_gnn/train/metrics.h"
#include "train/ranked_metrics.h"

namespace ordered_gnn {
namespace {

// One, few and many to a lane, and more than shared memory has counters for.
constexpr int64_t kClasses[] = {1, 2, 7, 40, 64, 65, 300, 3000};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

class CudaLoss : public CudaTest {};
class CudaScores : public CudaTest {};

// Whole numbers from 0 to classes - 1.
at::Tensor random_labels(int64_t count, int64_t classes, uint64_t seed) {
  return uniform({count}, seed, 0, static_cast<double>(classes))
      .floor()
      .clamp_max(static_cast<double>(classes - 1))
      .to(at::kLong);
}

// Every other node, the last ones first.
at::Tensor some_nodes(int64_t rows) {
  return torch::arange(0, rows, 2, at::kLong).flip(0);
}

DeviceFunction loss_of(const at::Tensor& nodes, const at::Tensor& labels) {
  return [=](at::Device device, const Tensors& in) {
    return Tensors{cross_entropy(in[0], nodes.to(device), labels.to(device))};
  };
}

void for_any_classes_and_rows(
    const std::function<void(int64_t classes, int64_t rows)>& check) {
  for (const int64_t classes : kClasses) {
    for (const int64_t rows : {1, 2, 77, 5000}) {
      if (rows == 5000 && classes > 300) continue;  // time of the CPU
      SCOPED_TRACE("classes " + std::to_string(classes) + " rows " +
                   std::to_string(rows));
      check(classes, rows);
    }
  }
}

TEST_F(CudaLoss, AgreesForAnyNumberOfClassesAndNodes) {
  for_any_classes_and_rows([](int64_t classes, int64_t rows) {
    const at::Tensor nodes = some_nodes(rows);
    expect_parity(loss_of(nodes, random_labels(nodes.numel(), classes, 31)),
                  {uniform({rows, classes}, 32, -5, 5)});
  });
  const at::Tensor nodes = some_nodes(200000);
  expect_parity(loss_of(nodes, random_labels(nodes.numel(), 40, 33)),
                {uniform({200000, 40}, 34, -5, 5)});
}

TEST_F(CudaLoss, WeightedAgreesForAnyNumberOfClassesAndNodes) {
  for_any_classes_and_rows([](int64_t classes, int64_t rows) {
    const at::Tensor nodes = some_nodes(rows);
    const at::Tensor labels = random_labels(nodes.numel(), classes, 31);
    const at::Tensor weights = uniform({classes}, 30, 0.1, 9);
    const DeviceFunction loss = [=](at::Device device, const Tensors& in) {
      return Tensors{cross_entropy(in[0], nodes.to(device), labels.to(device),
                                   weights.to(in[0].options()))};
    };
    expect_parity(loss, {uniform({rows, classes}, 32, -5, 5)});
  });
}

TEST_F(CudaLoss, WeightedWithALabelOutOfRangeIsNotANumber) {
  const at::Tensor stray = torch::tensor({int64_t{0}, int64_t{7}}, at::kLong);
  const DeviceFunction loss = [=](at::Device device, const Tensors& in) {
    const at::Tensor nodes = torch::tensor({0, 1}, at::kLong);
    return Tensors{cross_entropy(in[0], nodes.to(device), stray.to(device),
                                 torch::ones({3}, in[0].options()))};
  };
  const Tensors got =
      results_on(at::kCUDA, loss, {uniform({5, 3}, 40).to(at::kFloat)});
  EXPECT_TRUE(std::isnan(got[0].item<double>()));
}

TEST_F(CudaLoss, LargeLogitsDoNotOverflow) {
  const at::Tensor nodes = some_nodes(60);
  expect_parity(loss_of(nodes, random_labels(30, 7, 35)),
                {uniform({60, 7}, 36, -1e6, 1e6)});
}

TEST_F(CudaLoss, OfNoNodesIsNotANumberAndHasNoGradient) {
  const at::Tensor none = torch::empty({0}, at::kLong);
  const Tensors got = results_on(at::kCUDA, loss_of(none, none),
                                 {uniform({9, 4}, 37).to(at::kFloat)});
  EXPECT_TRUE(std::isnan(got[0].item<double>()));
  EXPECT_TRUE(torch::equal(got[1], torch::zeros({9, 4})));
}

TEST_F(CudaLoss, OfALogitThatIsNotANumberIsNone) {
  const at::Tensor nodes = some_nodes(100);
  const at::Tensor labels = random_labels(50, 7, 38);
  for (const double bad : {kNaN, kInfinity}) {
    SCOPED_TRACE(bad);
    at::Tensor logits = uniform({100, 7}, 39).to(at::kFloat);
    logits[4].fill_(bad);
    const Tensors got = results_on(at::kCUDA, loss_of(nodes, labels), {logits});
    EXPECT_TRUE(std::isnan(got[0].item<double>()));
    // Other nodes' gradients do not suffer.
    EXPECT_TRUE(got[1][6].isfinite().all().item<bool>());
    logits[4].fill_(0);
    logits[5].fill_(bad);  // of no node
    const Tensors fine =
        results_on(at::kCUDA, loss_of(nodes, labels), {logits});
    EXPECT_TRUE(std::isfinite(fine[0].item<double>()));
  }
}

TEST_F(CudaLoss, OfANodeOrLabelOutOfRangeIsNotANumber) {
  const at::Tensor logits = uniform({5, 3}, 40).to(at::kFloat);
  for (const int64_t wrong : {-1, 7}) {
    SCOPED_TRACE(wrong);
    const at::Tensor right = torch::tensor({0, 1}, at::kLong);
    const at::Tensor stray = torch::tensor({int64_t{0}, wrong}, at::kLong);
    for (const DeviceFunction& f :
         {loss_of(stray, right), loss_of(right, stray)}) {
      const Tensors got = results_on(at::kCUDA, f, {logits});
      EXPECT_TRUE(std::isnan(got[0].item<double>()));
      EXPECT_TRUE(got[1][1].eq(0).all().item<bool>());
    }
  }
}

struct Parts {
  at::Tensor nodes, labels;
  int64_t ends[cuda::kParts];
};

// [3, 2, classes] of `launches` launches that add to the same counters.
template <typename T>
at::Tensor counts_on_gpu(const at::Tensor& logits, const Parts& parts,
                         int launches) {
  const at::Tensor rows = logits.cuda(), nodes = parts.nodes.cuda(),
                   labels = parts.labels.cuda();
  const at::Tensor counts =
      torch::zeros({cuda::kParts, 2, logits.size(1)}, nodes.options());
  cuda::ScoreCounts<T> job;
  job.logits = rows.data_ptr<T>();
  job.nodes = nodes.data_ptr<int64_t>();
  job.labels = labels.data_ptr<int64_t>();
  std::copy(std::begin(parts.ends), std::end(parts.ends), job.ends);
  job.classes = static_cast<int>(logits.size(1));
  job.counts = counts.data_ptr<int64_t>();
  for (int i = 0; i < launches; ++i) {
    C10_CUDA_CHECK(
        cuda::launch_score_counts(job, c10::cuda::getCurrentCUDAStream()));
  }
  return counts.cpu();
}

// The first of the largest, a NaN being larger than any number.
int64_t first_largest(const double* row, int64_t classes) {
  int64_t best = 0;
  for (int64_t c = 1; c < classes; ++c) {
    if (std::isnan(row[best])) break;
    if (std::isnan(row[c]) || row[c] > row[best]) best = c;
  }
  return best;
}

at::Tensor counts_by_hand(const at::Tensor& logits, const Parts& parts) {
  const at::Tensor rows = logits.to(at::kDouble).contiguous();
  const int64_t classes = logits.size(1);
  const at::Tensor counts = torch::zeros({cuda::kParts, 2, classes}, at::kLong);
  int64_t* const count = counts.data_ptr<int64_t>();
  for (int64_t i = 0; i < parts.nodes.numel(); ++i) {
    int64_t part = 0;
    while (i >= parts.ends[part]) ++part;
    const int64_t node = parts.nodes.data_ptr<int64_t>()[i];
    const int64_t guess =
        first_largest(rows.data_ptr<double>() + node * classes, classes);
    const bool hit = guess == parts.labels.data_ptr<int64_t>()[i];
    count[part * 2 * classes + guess] += hit;
    count[(part * 2 + 1) * classes + guess] += 1;
  }
  return counts;
}

void expect_counts(const at::Tensor& logits, const Parts& parts) {
  const at::Tensor expected = counts_by_hand(logits, parts);
  EXPECT_TRUE(torch::equal(
      counts_on_gpu<float>(logits.to(at::kFloat), parts, 1), expected));
  EXPECT_TRUE(torch::equal(
      counts_on_gpu<double>(logits.to(at::kDouble), parts, 2), 2 * expected));
}

Parts parts_of(int64_t rows, int64_t classes, int64_t train_end,
               int64_t val_end) {
  const at::Tensor nodes = some_nodes(rows);
  return {nodes,
          random_labels(nodes.numel(), classes, 51),
          {train_end, val_end, nodes.numel()}};
}

TEST_F(CudaScores, AgreeForAnyNumberOfClasses) {
  for (const int64_t classes : kClasses) {
    SCOPED_TRACE(classes);
    expect_counts(random_tensor({2001, classes}, at::kFloat, 52),
                  parts_of(2001, classes, 480, 800));
  }
  // More nodes than all blocks hold at a time.
  expect_counts(random_tensor({200000, 7}, at::kFloat, 53),
                parts_of(200000, 7, 30001, 60002));
}

TEST_F(CudaScores, PartsMayBeEmpty) {
  const at::Tensor logits = random_tensor({200, 7}, at::kFloat, 54);
  const std::pair<int64_t, int64_t> ends[] = {
      {0, 0}, {0, 100}, {100, 100}, {50, 50}, {0, 1}};
  for (const auto& [train_end, val_end] : ends) {
    SCOPED_TRACE(std::to_string(train_end) + " " + std::to_string(val_end));
    expect_counts(logits, parts_of(200, 7, train_end, val_end));
  }
  const at::Tensor none = torch::empty({0}, at::kLong);
  expect_counts(logits, {none, none, {0, 0, 0}});
}

TEST_F(CudaScores, TheFirstOfTheLargestLogitsCounts) {
  for (const int64_t classes : kClasses) {
    SCOPED_TRACE(classes);
    at::Tensor logits =
        random_tensor({300, classes}, at::kFloat, 55, -2, 2).round();
    logits[0].fill_(-kInfinity);
    logits[2].fill_(kInfinity);
    logits[4].fill_(kNaN);
    logits[6][classes - 1] = kNaN;
    logits[8][classes / 2] = kNaN;
    logits[8][classes - 1] = kNaN;
    logits[10][0] = kInfinity;
    logits[10][classes - 1] = kNaN;
    expect_counts(logits, parts_of(300, classes, 48, 80));
  }
}

// Parts of nodes 0 .. rows - 1, those of class 0 first in each, as PairCounts
// wants them; `positives` is where class 1 begins.
struct RankedParts {
  Parts parts;
  int64_t positives[cuda::kParts];
};

RankedParts ranked_parts(int64_t rows, int64_t train_end, int64_t val_end,
                         double share, uint64_t seed) {
  const at::Tensor labels = uniform({rows}, seed, 0, 1).lt(share).to(at::kLong);
  const int64_t ends[] = {train_end, val_end, rows};
  RankedParts out;
  std::vector<at::Tensor> nodes;
  int64_t begin = 0;
  for (int part = 0; part < cuda::kParts; ++part) {
    const at::Tensor all = torch::arange(begin, ends[part], at::kLong);
    const at::Tensor of = labels.slice(0, begin, ends[part]);
    nodes.push_back(all.masked_select(of.eq(0)));
    out.positives[part] = begin + nodes.back().numel();
    nodes.push_back(all.masked_select(of.eq(1)));
    begin = out.parts.ends[part] = ends[part];
  }
  out.parts.nodes = at::cat(nodes);
  out.parts.labels = labels.index_select(0, out.parts.nodes);
  return out;
}

// ROC-AUC of the parts by pairs counted on the GPU.
template <typename T>
std::vector<double> areas_on_gpu(const at::Tensor& logits,
                                 const RankedParts& ranked) {
  const at::Tensor rows = logits.cuda(), nodes = ranked.parts.nodes.cuda();
  const at::Tensor counts = torch::zeros({cuda::kPairCounts}, nodes.options());
  cuda::PairCounts<T> job;
  job.logits = rows.data_ptr<T>();
  job.nodes = nodes.data_ptr<int64_t>();
  std::copy(std::begin(ranked.parts.ends), std::end(ranked.parts.ends),
            job.ends);
  std::copy(std::begin(ranked.positives), std::end(ranked.positives),
            job.positives);
  job.pairs = counts.data_ptr<int64_t>();
  C10_CUDA_CHECK(
      cuda::launch_pair_counts(job, c10::cuda::getCurrentCUDAStream()));
  const at::Tensor pairs = counts.cpu();
  std::vector<double> areas;
  int64_t begin = 0;
  for (int part = 0; part < cuda::kParts; ++part) {
    areas.push_back(training::roc_auc_of_pairs(
        {pairs[2 * part].item<int64_t>(),
         pairs[2 * part + 1].item<int64_t>() > 0,
         ranked.parts.ends[part] - ranked.positives[part],
         ranked.positives[part] - begin}));
    begin = ranked.parts.ends[part];
  }
  return areas;
}

template <typename T>
void expect_areas(const at::Tensor& logits, const RankedParts& ranked) {
  const std::vector<double> got = areas_on_gpu<T>(logits, ranked);
  const at::Tensor rows = logits.index_select(0, ranked.parts.nodes);
  const at::Tensor scores = rows.select(1, 1) - rows.select(1, 0);
  int64_t begin = 0;
  for (int part = 0; part < cuda::kParts; ++part) {
    SCOPED_TRACE(part);
    const int64_t end = ranked.parts.ends[part];
    const double expected = roc_auc(scores.slice(0, begin, end),
                                    ranked.parts.labels.slice(0, begin, end));
    if (std::isnan(expected)) {
      EXPECT_TRUE(std::isnan(got[part]));
    } else {
      EXPECT_EQ(got[part], expected);
    }
    begin = end;
  }
}

TEST_F(CudaScores, PairsGiveTheBitsOfTheHostsRanks) {
  for (const int64_t rows : {10, 255, 257, 5000, 40000}) {
    SCOPED_TRACE(rows);
    const RankedParts ranked =
        ranked_parts(rows, rows / 2, rows * 3 / 4, 0.2, 61);
    const at::Tensor logits = random_tensor({rows, 2}, at::kFloat, 62, -3, 3);
    expect_areas<float>(logits, ranked);
    expect_areas<double>(logits.to(at::kDouble), ranked);
    expect_areas<float>(logits.round(), ranked);  // many equal scores
  }
}

TEST_F(CudaScores, PairsOfEmptyPartsOneClassAndNoNumbers) {
  const at::Tensor logits = random_tensor({600, 2}, at::kFloat, 63);
  expect_areas<float>(logits, ranked_parts(600, 0, 0, 0.5, 64));
  expect_areas<float>(logits, ranked_parts(600, 300, 301, 0.5, 65));
  expect_areas<float>(logits, ranked_parts(600, 200, 400, 1, 66));
  for (const double bad : {kNaN, kInfinity}) {
    at::Tensor broken = logits.clone();
    broken[5].fill_(bad);  // infinite less infinite is no number either
    broken[590].fill_(-bad);
    expect_areas<float>(broken, ranked_parts(600, 200, 400, 0.5, 67));
    broken = logits.clone();
    broken[250][1] = kInfinity;
    expect_areas<float>(broken, ranked_parts(600, 200, 400, 0.5, 68));
  }
}

}  // namespace
}  // namespace ordered_gnn
