#include "core/io/file.h"
#include "core/io/sha256.h"
#include "fuzz/harness.h"
#include "fuzz/parts.h"
#include "fuzz/targets.h"
#include "ordered_gnn/core/options.h"
#include "scale/ranks/rank_parts.h"
#include "scale/ranks/scored_nodes.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

constexpr const char* kManifest = "parts.json";

std::string sha256_of(const std::string& text) {
  core::Sha256 hash;
  hash.update(text);
  return hash.hex();
}

// Lets the manifest state the checksums that the files of the input have, and
// its own: otherwise nearly every damaged file would be refused unread.
void let_checksums_fit(const fs::path& folder, std::string_view input) {
  if (!fs::exists(folder / kManifest)) return;
  Json json = Json::parse(core::read_file(folder / kManifest), nullptr,
                          /*allow_exceptions=*/false);
  if (!json.is_object()) return;
  for (const fuzz::Part& part : fuzz::split_parts(input)) {
    if (!json["files"].is_object()) break;
    if (!json["files"].contains(part.name)) continue;
    json["files"][part.name] = {{"bytes", part.bytes.size()},
                                {"sha256", sha256_of(std::string(part.bytes))}};
  }
  json.erase("content_sha256");
  json["content_sha256"] =
      sha256_of(json.dump(-1, ' ', false, Json::error_handler_t::replace));
  core::write_file(folder / kManifest,
                   json.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

// A folder of parts, as a rank reads it before it trains: the manifest, the
// nodes that are scored, and all parts with their lists. What was read of a
// manifest is written and read again.
void fuzz::try_parts_folder(std::string_view input) {
  const fs::path folder = fuzz::write_folder(input);
  let_checksums_fit(folder, input);
  const scale::PartsManifest manifest = scale::read_manifest(folder);
  fuzz::must_succeed("a manifest is read once and not again", [&] {
    scale::write_manifest(folder, manifest);
    if (scale::parts_fingerprint(scale::read_manifest(folder)) !=
        scale::parts_fingerprint(manifest)) {
      fail("another manifest");
    }
  });
  scale::verify_parts(folder, manifest);
  scale::read_scored_nodes(folder, manifest);
  for (int64_t part = 0; part < manifest.num_parts(); ++part) {
    scale::local_lists(scale::read_part(folder, manifest, part));
  }
}

}  // namespace ordered_gnn
