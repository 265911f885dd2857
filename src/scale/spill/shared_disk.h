#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "scale/engines/group.h"

namespace ordered_gnn::scale {

/// What a rank surely takes of a disk.
struct DiskClaim {
  std::string host, folder;
  uint64_t disk = 0;   ///< see disk_number()
  int64_t free = -1;   ///< bytes; -1: unknown
  int64_t needed = 0;  ///< bytes
};
DiskClaim disk_claim(const std::filesystem::path& folder, int64_t needed);

/// Why these cannot all have what they need, for those on one disk of a host
/// share what is free there; empty: they can.
std::string disk_objection(const std::vector<DiskClaim>& claims);

/// Ranks tell each other what they need; all call it.
/// @throws Error on every rank that says disk_objection().
void require_disk_room(Group& group, const DiskClaim& claim);

}  // namespace ordered_gnn::scale
