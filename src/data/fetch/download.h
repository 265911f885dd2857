#pragma once
#include <filesystem>

#include "data/fetch/fetch.h"

namespace ordered_gnn::data {

struct Download {
  std::string url;
  std::filesystem::path target;
  KnownFile known;  ///< what it should be; its path names it in progress
};

/// Downloads to TARGET.part and renames; see fetch_file() for resume, retries,
/// redirects and errors.
/// @return size and SHA-256 of the file now at `target`.
KnownFile download(const Download& what, const FetchOptions& options);

}  // namespace ordered_gnn::data
