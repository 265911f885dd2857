#include "scale/spill/far_rows.h"

#include <gtest/gtest.h>
#include <torch/types.h>

#include <thread>

#include "scale/engines/local_group.h"
#include "scale/parts/plan.h"
#include "scale/parts_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

constexpr int64_t kFarParts = 5, kFarWidth = 3;

// Values that bf16 does not hold.
float value_of(int64_t node, int64_t column) {
  return static_cast<float>(node) + 0.001F * static_cast<float>(column);
}

at::Tensor rows_of_nodes(const std::vector<int64_t>& nodes) {
  const at::Tensor rows =
      torch::empty({static_cast<int64_t>(nodes.size()), kFarWidth});
  auto at = rows.accessor<float, 2>();
  for (size_t i = 0; i < nodes.size(); ++i) {
    for (int64_t d = 0; d < kFarWidth; ++d) {
      at[static_cast<int64_t>(i)][d] = value_of(nodes[i], d);
    }
  }
  return rows;
}

std::vector<int64_t> nodes_between(int64_t first, int64_t behind,
                                   int64_t step = 1) {
  std::vector<int64_t> nodes;
  for (int64_t v = first; v < behind; v += step) nodes.push_back(v);
  return nodes;
}

struct FarSetting {
  const PartsManifest& manifest;
  PagedMemory& memory;
  Wire wire;
  int64_t piece;
};

// Every rank needs every third node of the parts of others, and none of part 1.
void check_rank(const FarSetting& setting, Group& group) {
  const PartsManifest& manifest = setting.manifest;
  const std::vector<int64_t> bounds =
      rank_bounds(manifest.bounds, group.size());
  const int64_t first = bounds[group.rank()], last = bounds[group.rank() + 1];
  const auto is_own = [&](int64_t p) { return p >= first && p < last; };
  std::vector<at::Tensor> rows(kFarParts);
  std::vector<int64_t> needed;
  for (int64_t p = 0; p < kFarParts; ++p) {
    const int64_t begin = manifest.bounds[p], end = manifest.bounds[p + 1];
    if (is_own(p)) {
      rows[p] = rows_of_nodes(nodes_between(begin, end));
    } else if (p != 1) {
      for (const int64_t node : nodes_between(begin, end, 3)) {
        needed.push_back(node);
      }
    }
  }
  FarRows far(group, setting.memory, manifest, bounds, setting.wire,
              setting.piece);
  far.ask(FarRows::Side::in, needed);
  for (int round = 0; round < 2; ++round) {
    far.fetch(FarRows::Side::in, rows);
    for (int64_t p = 0; p < kFarParts; ++p) {
      if (is_own(p) || p == 1) continue;
      at::Tensor expected = rows_of_nodes(
          nodes_between(manifest.bounds[p], manifest.bounds[p + 1], 3));
      if (setting.wire == Wire::bf16) {
        expected = expected.to(torch::kBFloat16).to(torch::kFloat);
      }
      EXPECT_TRUE(rows[p].equal(expected)) << group.rank() << " " << p;
      rows[p].reset();
    }
  }
}

TEST(FarRows, ComeInPiecesOfAnySize) {
  const TempDir dir;
  const PartsManifest manifest =
      read_manifest(write_test_parts(parts_data(), kFarParts, dir / "g.parts"));
  SpillFile file(dir.path(), 0);
  PagedMemory::Settings settings;
  settings.budget = 1 << 20;
  PagedMemory memory(file, settings);
  for (const int64_t ranks : {2, 3, 5}) {
    for (const Wire wire : {Wire::fp32, Wire::bf16}) {
      for (const int64_t piece : {int64_t{1}, int64_t{100}, FarRows::kPiece}) {
        SCOPED_TRACE(piece);
        LocalHub hub(ranks);
        std::vector<std::thread> threads;
        for (int64_t r = 0; r < ranks; ++r) {
          threads.emplace_back([&, r] {
            check_rank({manifest, memory, wire, piece}, *hub.rank(r));
          });
        }
        for (std::thread& thread : threads) thread.join();
      }
    }
  }
}

}  // namespace
}  // namespace ordered_gnn::scale
