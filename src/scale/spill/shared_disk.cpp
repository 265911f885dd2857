#include "scale/spill/shared_disk.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "ordered_gnn/core/memory.h"
#include "scale/ranks/handshake.h"
#include "scale/ranks/host_name.h"
#include "scale/spill/spill_file.h"

namespace ordered_gnn::scale {
namespace {

Json to_json(const DiskClaim& claim) {
  return {{"host", claim.host},
          {"folder", claim.folder},
          {"disk", claim.disk},
          {"free", claim.free},
          {"needed", claim.needed}};
}

DiskClaim claim_of(const std::string& said, size_t rank) {
  const Json json =
      core::parse_json(said, fmt::format("what rank {} said", rank));
  const auto number = [&](const char* key, int64_t least) {
    return core::whole_number(json, key, least, INT64_MAX);
  };
  return {json.at("host").get<std::string>(),
          json.at("folder").get<std::string>(),
          static_cast<uint64_t>(number("disk", 0)), number("free", -1),
          number("needed", 0)};
}

// What all on the disk of `claim` need.
int64_t needed_there(const DiskClaim& claim,
                     const std::vector<DiskClaim>& claims) {
  int64_t all = 0;
  for (const DiskClaim& other : claims) {
    if (other.host != claim.host || other.disk != claim.disk) continue;
    all += std::min(other.needed, INT64_MAX - all);
  }
  return all;
}

}  // namespace

DiskClaim disk_claim(const std::filesystem::path& folder, int64_t needed) {
  return {host_name(), folder.string(), disk_number(folder),
          free_disk_bytes(folder), needed};
}

std::string disk_objection(const std::vector<DiskClaim>& claims) {
  for (const DiskClaim& claim : claims) {
    const int64_t all = needed_there(claim, claims);
    if (claim.free < 0 || all <= claim.free) continue;
    return fmt::format(
        "{}: the disk has no room for what does not fit into the memory of the "
        "ranks on {}: they need {} together, {} are free; free some, give "
        "another folder as --spill, or more --memory",
        claim.folder, claim.host, bytes_text(all), bytes_text(claim.free));
  }
  return "";
}

void require_disk_room(Group& group, const DiskClaim& claim) {
  judge_together(group, to_json(claim).dump(),
                 [](const std::vector<std::string>& said) {
                   std::vector<DiskClaim> claims;
                   for (size_t r = 0; r < said.size(); ++r) {
                     claims.push_back(claim_of(said[r], r));
                   }
                   return disk_objection(claims);
                 });
}

}  // namespace ordered_gnn::scale
