#include "shared/parts_info.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iostream>

#include "core/saturated_count.h"
#include "core/visible_text.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/options.h"
#include "scale/parts/manifest.h"
#include "scale/parts/reader.h"

namespace ordered_gnn::cli {
namespace {

using scale::PartSize;
using scale::PartsManifest;

struct PartTotals {
  int64_t halo = 0, cut = 0, bytes = 0;
};

PartTotals part_totals(const PartsManifest& manifest) {
  double halo = 0, cut = 0, bytes = 0;
  for (const PartSize& part : manifest.parts) {
    halo += static_cast<double>(part.in_halo);
    cut += static_cast<double>(part.cut_edges);
  }
  for (const auto& item : manifest.files) {
    bytes += static_cast<double>(item.second.bytes);
  }
  return {core::saturated_count(halo), core::saturated_count(cut),
          core::saturated_count(bytes)};
}

std::string part_sizes_text(const PartsManifest& manifest) {
  int64_t least = manifest.num_nodes, most = 0;
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    least = std::min(least, manifest.rows_of(p));
    most = std::max(most, manifest.rows_of(p));
  }
  return fmt::format("{} of {} to {} nodes, by {}", manifest.num_parts(), least,
                     most, manifest.method);
}

Json parts_info_json(const PartsManifest& manifest, const PartTotals& totals) {
  Json parts = Json::array();
  for (int64_t p = 0; p < manifest.num_parts(); ++p) {
    const PartSize& part = manifest.parts[p];
    parts.push_back({{"nodes", manifest.rows_of(p)},
                     {"in_edges", part.in_edges},
                     {"out_edges", part.out_edges},
                     {"cut_edges", part.cut_edges},
                     {"in_halo", part.in_halo},
                     {"out_halo", part.out_halo}});
  }
  return {{"name", manifest.name},
          {"format", "parts"},
          {"num_nodes", manifest.num_nodes},
          {"num_edges", manifest.num_edges},
          {"num_features", manifest.num_features},
          {"num_classes", manifest.num_classes},
          {"class_names", manifest.class_names},
          {"num_splits", manifest.num_splits},
          {"split_set", manifest.split_set},
          {"direction", to_string(manifest.treatment.direction)},
          {"self_loops", to_string(manifest.treatment.self_loops)},
          {"features", to_string(manifest.treatment.features)},
          {"method", manifest.method},
          {"halo_rows", totals.halo},
          {"halo_ratio", static_cast<double>(totals.halo) /
                             static_cast<double>(manifest.num_nodes)},
          {"cut_edges", totals.cut},
          {"files", static_cast<int64_t>(manifest.files.size())},
          {"bytes", totals.bytes},
          {"data_fingerprint", manifest.data_fingerprint},
          {"fingerprint", scale::parts_fingerprint(manifest)},
          {"parts", parts}};
}

std::string parts_info_text(const PartsManifest& manifest,
                            const PartTotals& totals) {
  std::string out;
  const auto line = [&out](const char* name, const std::string& value) {
    out += fmt::format("{:<20} {}\n", name, core::visible(value));
  };
  line("name", manifest.name);
  line("format", fmt::format("parts, version {}", scale::kPartsVersion));
  line("parts", part_sizes_text(manifest));
  line("nodes", std::to_string(manifest.num_nodes));
  line("messages", fmt::format("{}, {} of them between parts ({:.3g} %)",
                               manifest.num_edges, totals.cut,
                               100.0 * static_cast<double>(totals.cut) /
                                   static_cast<double>(std::max<int64_t>(
                                       manifest.num_edges, 1))));
  line("halo", fmt::format("{} rows of other parts per layer, {:.4f} per node",
                           totals.halo,
                           static_cast<double>(totals.halo) /
                               static_cast<double>(manifest.num_nodes)));
  line("features", fmt::format("{} ({})", manifest.num_features,
                               manifest.sparse_features ? "sparse" : "dense"));
  line("classes", std::to_string(manifest.num_classes));
  line("splits",
       fmt::format("{} ({})", manifest.num_splits,
                   manifest.split_set.empty() ? "none" : manifest.split_set));
  line("read as", fmt::format("direction {}, self loops {}, features {}",
                              to_string(manifest.treatment.direction),
                              to_string(manifest.treatment.self_loops),
                              to_string(manifest.treatment.features)));
  line("files", fmt::format("{}, {}, all as they were written",
                            manifest.files.size(), bytes_text(totals.bytes)));
  line("fingerprint", scale::parts_fingerprint(manifest));
  return out;
}

}  // namespace

void print_parts_info(const std::filesystem::path& folder, bool json) {
  const PartsManifest manifest = scale::read_manifest(folder);
  scale::verify_parts(folder, manifest);
  const PartTotals totals = part_totals(manifest);
  std::cout << (json ? parts_info_json(manifest, totals).dump(2) + "\n"
                     : parts_info_text(manifest, totals));
}

}  // namespace ordered_gnn::cli
