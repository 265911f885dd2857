#include "data/formats/npz/splits.h"

#include <ATen/Functions.h>
#include <fmt/ranges.h>

#include <array>
#include <optional>

#include "data/formats/npz/arrays.h"
#include "data/split_checks.h"

namespace ordered_gnn::data {
namespace {

using PartNames = std::array<std::string, 3>;

[[noreturn]] void fail_arrays(const core::NpzReader& archive,
                              const std::string& what) {
  fail_in(archive.path(),
          fmt::format("{}; expected {}, found {}", what, kNpzSplitArrays,
                      fmt::join(archive.names(), ", ")));
}

// Names of the three arrays that end in `suffix`, where there is such a one.
std::optional<PartNames> part_names(const core::NpzReader& archive,
                                    const std::string& suffix) {
  const bool has_valid = archive.contains("valid" + suffix);
  const PartNames names = {"train" + suffix,
                           (has_valid ? "valid" : "val") + suffix,
                           "test" + suffix};
  bool has_any = false;
  for (const std::string& name : names) has_any |= archive.contains(name);
  if (!has_any) return std::nullopt;
  for (const std::string& name : names) {
    if (!archive.contains(name)) {
      fail_arrays(archive, fmt::format("there is no array '{}'", name));
    }
  }
  return names;
}

PartNames split_array_names(const core::NpzReader& archive) {
  for (const char* suffix : {"_mask", "_masks", ""}) {
    if (std::optional<PartNames> names = part_names(archive, suffix)) {
      return *names;
    }
  }
  fail_arrays(archive, "there are no splits in this file");
}

// A mask may be stored as a column; [S, N] is left alone where N is 1.
at::Tensor as_mask_rows(const at::Tensor& masks, int64_t num_nodes) {
  const bool is_column =
      masks.dim() == 2 && masks.size(1) == 1 && num_nodes != 1;
  return is_column ? masks.reshape({-1}) : masks;
}

// [S, size] int64.
at::Tensor id_rows(const at::Tensor& ids, const std::string& name,
                   const core::NpzReader& archive) {
  if (!at::isIntegralType(ids.scalar_type(), /*includeBool=*/false) ||
      (ids.dim() != 1 && ids.dim() != 2)) {
    fail_in(archive.path(),
            fmt::format("{}: expected node ids [size] or [S, size], integers, "
                        "got shape {} of {}",
                        name, shape_of(ids), at::toString(ids.scalar_type())));
  }
  const at::Tensor wide = ids.to(at::kLong).contiguous();
  return ids.dim() == 1 ? wide.unsqueeze(0) : wide;
}

std::vector<Split> splits_of_id_rows(const std::array<at::Tensor, 3>& rows,
                                     const PartNames& names, int64_t num_nodes,
                                     const core::NpzReader& archive) {
  const int64_t count = rows[0].size(0);
  for (size_t p = 1; p < rows.size(); ++p) {
    if (rows[p].size(0) != count) {
      fail_in(archive.path(),
              fmt::format("{}: has lists for {} splits, {} for {}", names[p],
                          rows[p].size(0), names[0], count));
    }
  }
  std::vector<Split> splits;
  for (int64_t k = 0; k < count; ++k) {
    std::array<PartIds, 3> parts;
    for (size_t p = 0; p < parts.size(); ++p) {
      const int64_t size = rows[p].size(1);
      // A list without ids states any number of rows and has bytes for none.
      if (size == 0) {
        fail_in(archive.path(), fmt::format("{}: is empty", names[p]));
      }
      const int64_t* const first = rows[p].data_ptr<int64_t>() + k * size;
      parts[p] = {names[p], {first, first + size}};
    }
    splits.push_back(
        split_of_ids(parts, num_nodes,
                     fmt::format("{}: split {}", archive.path().string(), k)));
  }
  return splits;
}

}  // namespace

std::vector<Split> read_npz_splits(const core::NpzReader& archive,
                                   int64_t num_nodes) {
  const PartNames names = split_array_names(archive);
  std::array<at::Tensor, 3> arrays;
  for (size_t p = 0; p < names.size(); ++p) arrays[p] = archive.read(names[p]);
  const bool are_ids =
      names[0] == "train" && arrays[0].scalar_type() != at::kBool;
  if (are_ids) {
    for (size_t p = 0; p < names.size(); ++p) {
      arrays[p] = id_rows(arrays[p], names[p], archive);
    }
    return splits_of_id_rows(arrays, names, num_nodes, archive);
  }
  std::array<PartMasks, 3> parts;
  for (size_t p = 0; p < names.size(); ++p) {
    parts[p] = {names[p], as_mask_rows(arrays[p], num_nodes)};
  }
  return splits_of_masks(std::move(parts), num_nodes, archive.path().string());
}

}  // namespace ordered_gnn::data
