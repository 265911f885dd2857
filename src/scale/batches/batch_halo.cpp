#include "scale/batches/batch_halo.h"

#include <ATen/Functions.h>

#include <algorithm>

namespace ordered_gnn::scale {
namespace {

BatchHalo halo_of(const PartsManifest& manifest, const LocalLists& lists) {
  BatchHalo result;
  result.rows = lists.in.rowptr.numel() - 1;
  result.halo = static_cast<int64_t>(lists.halo.size());
  for (int64_t i = 0; i < result.halo; ++i) {
    const int64_t node = lists.halo[i];
    const int64_t owner = manifest.part_of(node);
    // Nodes of a part have ids side by side.
    if (result.owners.empty() || result.owners.back().owner != owner) {
      result.owners.emplace_back();
      result.owners.back().owner = owner;
    }
    const PartRoutes::Take take{result.rows + i, owner,
                                node - manifest.bounds[owner]};
    OwnedHalo& owned = result.owners.back();
    if (lists.sends[i]) owned.in.push_back(take);
    if (lists.receives[i]) owned.out.push_back(take);
  }
  return result;
}

void make_rising(std::vector<int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

SideRoutes side_routes(const std::vector<BatchHalo>& halos,
                       const std::vector<int64_t>& members,
                       std::vector<PartRoutes::Take> OwnedHalo::*side) {
  SideRoutes routes;
  routes.send_rows = routes.receive_rows = {0};
  for (const int64_t member : members) {
    PartRoutes part;
    for (const OwnedHalo& owned : halos[member].owners) {
      const auto found =
          std::lower_bound(members.begin(), members.end(), owned.owner);
      if (found == members.end() || *found != owned.owner) continue;
      const int64_t neighbour = found - members.begin();
      for (PartRoutes::Take take : owned.*side) {
        take.part = neighbour;
        part.takes.push_back(take);
      }
      part.neighbours.push_back(neighbour);
    }
    routes.parts.push_back(std::move(part));
  }
  return routes;
}

}  // namespace

std::vector<BatchHalo> batch_halos(const PartsManifest& manifest,
                                   const std::vector<LocalLists>& lists,
                                   std::vector<std::vector<int64_t>>& heard) {
  std::vector<BatchHalo> halos;
  heard.assign(lists.size(), {});
  for (const LocalLists& part : lists) {
    halos.push_back(halo_of(manifest, part));
    for (const OwnedHalo& owned : halos.back().owners) {
      for (const PartRoutes::Take& take : owned.in) {
        heard[owned.owner].push_back(take.row);
      }
    }
  }
  for (std::vector<int64_t>& rows : heard) make_rising(rows);
  for (BatchHalo& halo : halos) {
    for (OwnedHalo& owned : halo.owners) {
      const std::vector<int64_t>& rows = heard[owned.owner];
      for (const PartRoutes::Take& take : owned.in) {
        owned.heard.kept.push_back(
            std::lower_bound(rows.begin(), rows.end(), take.row) -
            rows.begin());
        owned.heard.slots.push_back(take.slot);
      }
    }
  }
  return halos;
}

RankRoutes batch_routes(const std::vector<BatchHalo>& halos,
                        const std::vector<int64_t>& members) {
  return {side_routes(halos, members, &OwnedHalo::in),
          side_routes(halos, members, &OwnedHalo::out)};
}

Adjacency lists_within(const Adjacency& lists, int64_t rows,
                       const std::vector<bool>& is_present) {
  const auto* const begin = lists.rowptr.data_ptr<int64_t>();
  const auto* const col = lists.col.data_ptr<int32_t>();
  const at::Tensor rowptr = at::zeros({rows + 1}, at::kLong);
  auto* const end = rowptr.data_ptr<int64_t>() + 1;
  std::vector<int32_t> kept;
  kept.reserve(static_cast<size_t>(lists.col.numel()));
  for (int64_t v = 0; v < rows; ++v) {
    for (int64_t e = begin[v]; e < begin[v + 1]; ++e) {
      if (col[e] < rows || is_present[col[e] - rows]) kept.push_back(col[e]);
    }
    end[v] = static_cast<int64_t>(kept.size());
  }
  return {rowptr, at::tensor(kept, at::kInt)};
}

}  // namespace ordered_gnn::scale
