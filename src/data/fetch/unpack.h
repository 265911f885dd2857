#pragma once
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "data/fetch/public_files.h"

namespace ordered_gnn::data {

struct Unpacking {
  std::filesystem::path archive;    ///< a zip file
  std::string from;                 ///< folder inside it, with '/' at the end
  std::filesystem::path root;       ///< data root
  std::string to;                   ///< folder of `root`, with '/' at the end
  std::vector<KnownFile> contents;  ///< what must come out, paths from `root`
  int64_t max_bytes = int64_t{8} << 30;  ///< of all entries together
};

/// Unpacks what lies below `from`; other entries are ignored. Each file appears
/// only when it is complete. Nothing is written when a name leads out of the
/// folder, the sizes are too large or something of `contents` is not there.
/// @throws Error naming archive and entry; also when a file does not have the
///         SHA-256 that `contents` knows.
void unpack_zip(const Unpacking& what);

}  // namespace ordered_gnn::data
