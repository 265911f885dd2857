#include "data/fetch/fetch.h"

#include <algorithm>
#include <system_error>
#include <vector>

#include "core/io/gzip_input.h"
#include "core/io/sha256.h"
#include "core/io/text/text.h"
#include "core/names.h"
#include "data/fetch/download.h"
#include "data/fetch/http_client.h"
#include "data/fetch/unpack.h"
#include "data/paths.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

// Size and checksum of a file as published: a copy that was gzipped afterwards
// counts as what it unpacks to.
KnownFile content_of(const fs::path& path, const std::string& name) {
  KnownFile content{name, 0, ""};
  core::Sha256 hash;
  std::vector<char> block(size_t{1} << 18);
  core::GzipInput input(path);
  while (const size_t count = input.read(block.data(), block.size())) {
    hash.update(block.data(), count);
    content.size += static_cast<int64_t>(count);
  }
  content.sha256 = hash.hex();
  return content;
}

KnownFile existing(const fs::path& path, const std::string& name) {
  const fs::path found = core::plain_or_gzipped(path);
  if (found != path) return content_of(found, name);
  KnownFile content{name, 0, core::sha256_of_file(path)};
  content.size = static_cast<int64_t>(fs::file_size(path));
  return content;
}

bool agrees(const KnownFile& found, const KnownFile& known) {
  return known.sha256.empty() || found.sha256 == known.sha256;
}

bool is_content_there(const PublicFile& archive, const fs::path& root) {
  return std::all_of(archive.contents.begin(), archive.contents.end(),
                     [&](const KnownFile& file) {
                       const fs::path path = root / file.path;
                       return is_there(path) &&
                              (file.sha256.empty() ||
                               core::sha256_of_file(path) == file.sha256);
                     });
}

FetchedFile report(FetchState state, const KnownFile& found,
                   const KnownFile& known) {
  return {state, found.size, found.sha256, !known.sha256.empty()};
}

FetchedFile fetch_plain(const PublicFile& file, const fs::path& root,
                        const FetchOptions& options) {
  const fs::path target = root / file.file.path;
  if (is_there(core::plain_or_gzipped(target))) {
    const KnownFile found = existing(target, file.file.path);
    if (agrees(found, file.file)) {
      return report(FetchState::already_there, found, file.file);
    }
    if (!options.force) {
      fail_in(core::plain_or_gzipped(target),
              fmt::format("is there but is not the published file: its SHA-256 "
                          "is\n  {}, expected\n  {}. Move it away, or use "
                          "--force to replace it.",
                          found.sha256, file.file.sha256));
    }
  }
  const KnownFile got =
      download({fetch_url(file, options.base_url), target, file.file}, options);
  return report(FetchState::downloaded, got, file.file);
}

FetchedFile fetch_archive(const PublicFile& file, const fs::path& root,
                          const FetchOptions& options) {
  if (is_content_there(file, root)) return {};
  const FetchedFile got = fetch_plain(file, root, options);
  Unpacking unpacking;
  unpacking.archive = root / file.file.path;
  unpacking.from = file.unpack_from;
  unpacking.root = root;
  unpacking.to = file.unpack_to;
  unpacking.contents = file.contents;
  try {
    unpack_zip(unpacking);
  } catch (const Error& error) {
    throw Error(fmt::format("{}\nDelete {} to download it again.", error.what(),
                            unpacking.archive.string()));
  }
  std::error_code ignored;
  fs::remove(unpacking.archive, ignored);
  FetchedFile result = got;
  result.state = FetchState::unpacked;
  return result;
}

}  // namespace

const char* to_string(FetchState state) {
  return core::word_of(state, {{FetchState::already_there, "already there"},
                               {FetchState::downloaded, "downloaded"},
                               {FetchState::unpacked, "unpacked"}});
}

bool can_fetch() { return http_available(); }

std::string fetch_url(const PublicFile& file, const std::string& base_url) {
  if (base_url.empty()) return file.url;
  if (!parse_url(base_url)) {
    throw UsageError(fmt::format(
        "base-url: expected an http:// or https:// address, got '{}'",
        base_url));
  }
  const size_t end = base_url.find_last_not_of('/') + 1;
  return base_url.substr(0, end) + "/" + file.file.path;
}

FetchedFile fetch_file(const PublicFile& file, const fs::path& root,
                       const FetchOptions& options) {
  if (!can_fetch()) {
    fail("this build cannot download; put {} into {}", file.url,
         (root / file.file.path).string());
  }
  return file.is_archive() ? fetch_archive(file, root, options)
                           : fetch_plain(file, root, options);
}

}  // namespace ordered_gnn::data
