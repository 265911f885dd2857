#include "data/fetch/unpack.h"

#include <algorithm>
#include <system_error>

#include "core/affixes.h"
#include "core/io/sha256.h"
#include "core/io/zip/zip.h"
#include "data/paths.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

struct Target {
  const core::ZipEntry* entry;
  std::string path;  // relative to the data root
};

std::vector<Target> plan(const core::ZipReader& zip, const Unpacking& what) {
  std::vector<Target> targets;
  int64_t left = what.max_bytes;
  for (const core::ZipEntry& entry : zip.entries()) {
    if (!stays_below(entry.name)) {
      fail_in(zip.path(), fmt::format("entry '{}' leads out of the folder; "
                                      "nothing was unpacked",
                                      entry.name));
    }
    std::string_view path = entry.name;
    if (!core::take_prefix(path, what.from) || core::ends_with(path, "/")) {
      continue;
    }
    if (entry.size > left) {
      fail_in(zip.path(), fmt::format("unpacks to more than {} bytes; nothing "
                                      "was unpacked",
                                      what.max_bytes));
    }
    left -= entry.size;
    targets.push_back({&entry, what.to + std::string(path)});
  }
  return targets;
}

void require_contents(const std::vector<Target>& targets,
                      const Unpacking& what) {
  for (const KnownFile& file : what.contents) {
    const bool found = std::any_of(
        targets.begin(), targets.end(),
        [&](const Target& target) { return target.path == file.path; });
    if (!found) {
      fail_in(what.archive,
              fmt::format("has no entry '{}{}'; nothing was unpacked",
                          what.from, file.path.substr(what.to.size())));
    }
  }
}

void unpack_entry(const core::ZipReader& zip, const Target& target,
                  const Unpacking& what) {
  const fs::path path = what.root / target.path;
  std::error_code failed;
  fs::create_directories(path.parent_path(), failed);
  if (failed) {
    fail_in(path.parent_path(),
            "the folder cannot be made: " + failed.message());
  }
  core::AtomicFile file(path);
  core::Sha256 hash;
  const std::unique_ptr<core::ByteSource> source = zip.open(*target.entry);
  std::vector<char> block(size_t{1} << 18);
  while (source->remaining() > 0) {
    const int64_t count = std::min<int64_t>(source->remaining(),
                                            static_cast<int64_t>(block.size()));
    source->read(block.data(), count);
    hash.update(block.data(), static_cast<size_t>(count));
    file.write(block.data(), static_cast<size_t>(count));
  }
  source->finish();
  const std::string got = hash.hex();
  for (const KnownFile& known : what.contents) {
    if (known.path != target.path || known.sha256.empty()) continue;
    if (known.sha256 != got) {
      fail_in(source->place(),
              fmt::format("has the SHA-256\n  {}, expected\n  {}", got,
                          known.sha256));
    }
  }
  file.commit();
}

}  // namespace

void unpack_zip(const Unpacking& what) {
  const core::ZipReader zip(what.archive);
  const std::vector<Target> targets = plan(zip, what);
  require_contents(targets, what);
  for (const Target& target : targets) unpack_entry(zip, target, what);
}

}  // namespace ordered_gnn::data
