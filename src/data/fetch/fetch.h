#pragma once
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "data/fetch/public_files.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {

/// No server could be talked to: the network, not the file, is the problem.
class UnreachableError : public Error {
 public:
  using Error::Error;
};

struct FetchProgress {
  std::string path;    ///< file, relative to the data root
  int64_t bytes = 0;   ///< so far, those of an earlier run included
  int64_t total = -1;  ///< -1 when unknown
};

struct FetchOptions {
  /// Not empty: files come from `base_url`/PATH, PATH being relative to the
  /// data root, instead of from their publishers.
  std::string base_url;
  bool force = false;  ///< replaces files that differ from the published ones
  int retries = 4;     ///< in a row without a byte more than before
  std::chrono::milliseconds retry_delay{1000};  ///< doubles with each retry
  std::chrono::milliseconds connect_timeout{10000};
  std::chrono::milliseconds read_timeout{30000};
  int64_t max_bytes = int64_t{4} << 30;  ///< where the size is not known
  std::function<void(const FetchProgress&)> progress;
};

enum class FetchState { already_there, downloaded, unpacked };

/// "already there", "downloaded" or "unpacked".
const char* to_string(FetchState state);

struct FetchedFile {
  FetchState state = FetchState::already_there;
  int64_t size = 0;
  std::string sha256;
  bool compared = false;  ///< false when no checksum is known
};

/// False in a build without an HTTP client.
bool can_fetch();

/// Where a file is downloaded from.
/// @throws UsageError when `base_url` is no http or https address.
std::string fetch_url(const PublicFile& file, const std::string& base_url);

/// Puts one file into its place below `root`.
///
/// A file that is there, plain or gzipped, and right is left alone. Otherwise
/// it is downloaded to PATH.part, going on where an earlier attempt stopped,
/// and gets its name only when size and SHA-256 are right. Redirects are
/// followed up to five times, never from https to http. Failures that may pass
/// (broken connections, status 408, 429, 5xx) are retried. An archive is
/// unpacked and deleted, unless its contents are there already.
///
/// @throws UnreachableError when no connection could be made.
/// @throws Error naming the address and the status the server gave; naming both
///         checksums when they differ (the download is deleted then); when the
///         server sends more bytes than stated; when a file is in the way that
///         differs from the published one and `force` is not set; when an
///         archive has entries that lead out of its folder.
FetchedFile fetch_file(const PublicFile& file,
                       const std::filesystem::path& root,
                       const FetchOptions& options = {});

}  // namespace ordered_gnn::data
