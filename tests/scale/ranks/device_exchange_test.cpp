// Passes of a model over parts whose rows are moved as on a GPU, held against
// those whose rows are moved as on a CPU.
#include "scale/ranks/device_exchange.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <atomic>
#include <thread>

#include "ordered_gnn/nn/models.h"
#include "scale/engines/local_group.h"
#include "scale/ranks/halo_degrees.h"
#include "scale/ranks/halo_exchange.h"
#include "scale/training_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

struct PassSettings {
  int64_t ranks = 1;
  Wire wire = Wire::fp32;
  bool by_device = false;
};

// What a pass gives: logits and gradients of every part, and bytes on the wire.
struct PassResults {
  explicit PassResults(int64_t parts) : logits(parts), gradients(parts) {}
  std::vector<at::Tensor> logits, gradients;
  std::atomic<int64_t> bytes{0};
};

// A training pass of one part; what it says of its own rows is a sum of them.
void run_part(const Part& part, const LocalLists& lists,
              const std::shared_ptr<core::RowExchange>& exchange,
              const PartsManifest& manifest, at::Tensor& logits,
              at::Tensor& gradient) {
  std::vector<int64_t> receive_only;
  for (size_t i = 0; i < lists.halo.size(); ++i) {
    if (!lists.sends[i]) {
      receive_only.push_back(lists.rows() + static_cast<int64_t>(i));
    }
  }
  const Graph graph = Graph::of_part(
      lists.in, lists.out,
      degrees_with_halo(lists.in.rowptr, receive_only, *exchange), exchange);
  const RunOptions options = small_run();
  const auto model = create_model(options.model,
                                  {manifest.num_features, manifest.num_classes,
                                   part.features.kind(), manifest.num_nodes},
                                  options.network, options.train.seed);
  ForwardContext context;
  context.training = true;
  context.seed = 3;
  context.step = torch::cat({torch::tensor({7}, torch::kLong), part.original});
  model->train();
  logits = model->forward(graph, part.features, context);
  logits.square().sum().backward();
  std::vector<at::Tensor> pieces;
  for (const at::Tensor& parameter : model->parameters()) {
    if (parameter.grad().defined())
      pieces.push_back(parameter.grad().flatten());
  }
  gradient = torch::cat(pieces);
}

void run_rank(Group& group, const std::filesystem::path& folder,
              const PartsManifest& manifest, const PassSettings& settings,
              PassResults& results) {
  const std::vector<int64_t> bounds =
      rank_bounds(manifest.bounds, group.size());
  const int64_t first = bounds[group.rank()];
  std::vector<Part> parts;
  std::vector<LocalLists> lists;
  std::vector<at::Tensor> original;
  for (int64_t p = first; p < bounds[group.rank() + 1]; ++p) {
    parts.push_back(read_part(folder, manifest, p));
    lists.push_back(local_lists(parts.back()));
    original.push_back(parts.back().original);
  }
  RankRoutes routes = make_routes(group, manifest, bounds, lists);
  share_nodes(group, original, routes.in);
  PartTeam team(static_cast<int64_t>(parts.size()), 2);
  std::unique_ptr<RankExchange> exchange;
  if (settings.by_device) {
    exchange = std::make_unique<DeviceExchange>(group, routes, team,
                                                torch::kCPU, 3, settings.wire);
  } else {
    exchange =
        std::make_unique<HaloExchange>(group, routes, team, 3, settings.wire);
  }
  team.run(
      [&](int64_t place) {
        run_part(parts[place], lists[place],
                 exchange->of_part(
                     place, static_cast<int64_t>(lists[place].halo.size())),
                 manifest, results.logits[first + place],
                 results.gradients[first + place]);
      },
      [&] { exchange->abort(); });
  exchange->settle();
  results.bytes += exchange->sent().bytes;
}

std::unique_ptr<PassResults> run_pass(const std::filesystem::path& folder,
                                      const PassSettings& settings) {
  const PartsManifest manifest = read_manifest(folder);
  auto results = std::make_unique<PassResults>(manifest.num_parts());
  LocalHub hub(settings.ranks);
  std::vector<std::thread> threads;
  for (int64_t r = 0; r < settings.ranks; ++r) {
    threads.emplace_back([&, r] {
      run_rank(*hub.rank(r), folder, manifest, settings, *results);
    });
  }
  for (std::thread& thread : threads) thread.join();
  return results;
}

TEST(DeviceExchange, GivesTheBitsThatTheExchangeOfCpusDoes) {
  const TempDir dir;
  const auto folder =
      write_test_parts(parts_data("&directed=true"), 4, dir / "g.parts");
  for (const Wire wire : {Wire::fp32, Wire::bf16}) {
    const auto expected = run_pass(folder, {2, wire, /*by_device=*/false});
    for (const int64_t ranks : {1, 2, 3}) {
      SCOPED_TRACE(to_string(wire) + " " + std::to_string(ranks));
      const auto got = run_pass(folder, {ranks, wire, /*by_device=*/true});
      for (size_t p = 0; p < got->logits.size(); ++p) {
        EXPECT_TRUE(torch::equal(got->logits[p], expected->logits[p])) << p;
        EXPECT_TRUE(torch::equal(got->gradients[p], expected->gradients[p]))
            << p;
      }
      EXPECT_EQ(got->bytes > 0, ranks > 1);
      // Elements that dropout has not kept travel, too.
      if (ranks == 2) {
        EXPECT_GT(got->bytes.load(), expected->bytes.load());
      }
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
