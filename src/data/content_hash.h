#pragma once
#include <c10/core/ScalarType.h>
#include <c10/util/ArrayRef.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "core/io/sha256.h"

namespace ordered_gnn::data {

/// Each value goes in under a label and with its extent, so that two different
/// datasets cannot produce the same byte sequence by shifting content. Arrays
/// enter as the digests of their pieces of kPieceBytes.
class ContentHash {
 public:
  static constexpr int64_t kPieceBytes = int64_t{1} << 20;

  void add(const std::string& label, const std::string& value) {
    hash_.update(fmt::format("{}={}:{}\n", label, value.size(), value));
  }
  void add(const std::string& label, at::ScalarType type, at::IntArrayRef sizes,
           const std::vector<std::string>& digests) {
    add(label,
        fmt::format("{}[{}]", c10::toString(type), fmt::join(sizes, ",")));
    for (const std::string& digest : digests) hash_.update(digest);
  }

  std::string hex() { return hash_.hex(); }

 private:
  core::Sha256 hash_;
};

}  // namespace ordered_gnn::data
