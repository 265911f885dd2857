#include "lab/bench/scale_bench.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "lab/bench/cpu_seconds.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "ordered_gnn/core/parallel.h"
#include "ordered_gnn/nn/models.h"
#include "scale/engines/null_group.h"
#include "scale/parts/estimate.h"
#include "scale/ranks/asked_rows.h"
#include "scale/ranks/local_run.h"
#include "scale/ranks/rank_work.h"
#include "train/optimizer_groups.h"

namespace ordered_gnn::lab {
namespace {

struct RankInput {
  const scale::PartsManifest& manifest;
  const scale::RankWork::PartSource& source;
  double trained_share;
};

// A rank as rank 0, or one that serves it, works on it; the loss is of split 0.
class LoneRank {
 public:
  LoneRank(const RankInput& input, const ScaleBenchOptions& options,
           RankCost& cost)
      : options_(options),
        asked_(input.manifest, options.drawn.rank, options.drawn.ranks,
               input.trained_share),
        group_(options.drawn.rank, options.drawn.ranks,
               [this](const at::Tensor& send, at::Tensor& receive) {
                 asked_.answer(send, receive);
               }),
        work_(
            group_,
            [&](int64_t part) {
              scale::Part own = input.source(part);
              asked_.add(own);
              cost.nodes += own.rows();
              cost.messages += own.in.col.numel();
              return own;
            },
            input.manifest, options.run, scale::threads_of_rank(options.run, 1),
            options.wire),
        model_(create_model(options.run.model, work_.shape(),
                            options.run.network, options.run.train.seed)),
        adam_(training::optimizer_groups(*model_, options.run.train)) {
    work_.use_model(*model_);
    scale::LossTerms terms;
    terms.total_weight =
        std::max(1.0, input.trained_share *
                          static_cast<double>(input.manifest.num_nodes));
    work_.use_loss(terms);
    cost.halo = asked_.asked_in();
    for (const at::Tensor& parameter : model_->parameters()) {
      cost.parameters += parameter.numel();
    }
  }

  void step(int64_t epoch) {
    work_.step(epoch);
    if (group_.rank() == 0) adam_.step(options_.run.train.lr);
  }
  void evaluate() { work_.evaluate(); }
  scale::Traffic traffic() const { return group_.traffic(); }

 private:
  const ScaleBenchOptions& options_;
  scale::AskedRows asked_;
  scale::NullGroup group_;
  scale::RankWork work_;
  const std::shared_ptr<NodeModel> model_;
  training::Adam adam_;
};

// Time and traffic of something that is done again and again.
class EpochMeter {
 public:
  explicit EpochMeter(const LoneRank& rank) : rank_(rank) {}

  template <typename Work>
  void measure(const Work& work) {
    const auto start = std::chrono::steady_clock::now();
    const double cpu = cpu_seconds();
    const scale::Traffic before = rank_.traffic();
    work();
    const std::chrono::duration<double> time =
        std::chrono::steady_clock::now() - start;
    const scale::Traffic after = rank_.traffic();
    sum_.seconds += time.count();
    sum_.cpu += cpu_seconds() - cpu;
    sum_.sent += static_cast<double>(after.sent - before.sent);
    sum_.received += static_cast<double>(after.received - before.received);
    sum_.messages += static_cast<double>(after.messages - before.messages);
    ++times_;
  }

  PassCost mean() const {
    const auto times = static_cast<double>(times_);
    return {sum_.seconds / times, sum_.cpu / times, sum_.sent / times,
            sum_.received / times, sum_.messages / times};
  }

 private:
  const LoneRank& rank_;
  PassCost sum_;
  int64_t times_ = 0;
};

RankCost measure(const RankInput& input, const ScaleBenchOptions& options) {
  const ThreadScope threads(options.run.execution.threads);
  RankCost cost;
  LoneRank rank(input, options, cost);
  rank.step(1);
  rank.evaluate();
  EpochMeter training(rank), evaluation(rank);
  for (int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    training.measure([&] { rank.step(epoch + 2); });
    evaluation.measure([&] { rank.evaluate(); });
  }
  cost.train = training.mean();
  cost.eval = evaluation.mean();
  cost.peak_bytes = peak_memory_bytes();
  return cost;
}

double trained_share_of(const std::filesystem::path& folder,
                        const scale::PartsManifest& manifest) {
  double trained = 0;
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    const scale::Part part = scale::read_part_nodes(folder, manifest, p);
    trained += static_cast<double>(part.splits[0]
                                       .eq(1)
                                       .logical_and(part.labels.ge(0))
                                       .sum()
                                       .item<int64_t>());
  }
  return trained / static_cast<double>(manifest.num_nodes);
}

}  // namespace

int64_t rank_bytes(const DrawnRank& drawn, const ScaleBenchOptions& options) {
  return scale::estimate(drawn.manifest(), drawn.halo(), options.drawn.ranks,
                         options.run.network)
             .rank_memory +
         2 * drawn.list_bytes();
}

int64_t fitting_scale(const RankedShape& shape, ScaleBenchOptions options) {
  for (options.drawn.scale = 1;; options.drawn.scale *= 2) {
    const DrawnRank drawn(shape, options.drawn);
    const int64_t bytes = 2 * rank_bytes(drawn, options);
    if (drawn.can_draw() && bytes <= memory_left(bytes).bytes) {
      return options.drawn.scale;
    }
  }
}

RankCost measure_rank(const std::filesystem::path& folder,
                      const ScaleBenchOptions& options) {
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  if (manifest.num_splits < 1) {
    throw UsageError(fmt::format(
        "{}: the parts have no split to train on; give 'ognn partition' a "
        "--split-set",
        folder.string()));
  }
  const scale::RankWork::PartSource source = [&](int64_t part) {
    return scale::read_part(folder, manifest, part);
  };
  return measure({manifest, source, trained_share_of(folder, manifest)},
                 options);
}

RankCost measure_rank(DrawnRank& drawn, const ScaleBenchOptions& options) {
  require_memory(rank_bytes(drawn, options), drawn.manifest().name,
                 fmt::format("a rank of {} at scale {}", options.drawn.ranks,
                             options.drawn.scale));
  drawn.draw_lists();
  const scale::RankWork::PartSource source = [&](int64_t part) {
    return drawn.draw(part);
  };
  return measure({drawn.manifest(), source, drawn.trained_share()}, options);
}

ModelledEpoch model_epoch(const RankCost& cost, int64_t scale,
                          const ScaleBenchOptions& options) {
  const auto every = static_cast<double>(options.eval_every);
  const auto larger = static_cast<double>(scale);
  ModelledEpoch epoch;
  epoch.compute = larger * (cost.train.seconds + cost.eval.seconds / every);
  epoch.sent = larger * (cost.train.sent + cost.eval.sent / every);
  epoch.received = larger * (cost.train.received + cost.eval.received / every);
  epoch.threads = scale::threads_of_rank(options.run, 1);
  // A larger rank has larger messages, and no more of them.
  epoch.engine =
      options.engine.of_end(cost.train.messages + cost.eval.messages / every,
                            epoch.sent + epoch.received);
  const double bytes_per_second = options.gbit * 1e9 / 8;
  const auto layers = static_cast<double>(options.run.network.layers);
  epoch.rows = layers * (2 + 1 / every) * options.latency +
               std::max(epoch.sent, epoch.received) / bytes_per_second;
  const double levels =
      std::ceil(std::log2(static_cast<double>(options.drawn.ranks)));
  const double message =
      options.latency +
      4 * static_cast<double>(cost.parameters) / bytes_per_second;
  epoch.gradients = 2 * levels * message;
  return epoch;
}

}  // namespace ordered_gnn::lab
