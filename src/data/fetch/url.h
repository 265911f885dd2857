#pragma once
#include <optional>
#include <string>

#include "core/affixes.h"

namespace ordered_gnn::data {

/// An http or https address.
struct Url {
  std::string origin;  ///< "https://host" or "http://host:8080"
  std::string path;    ///< begins with '/'; a query is part of it

  bool secure() const { return core::starts_with(origin, "https:"); }
  std::string text() const { return origin + path; }
};

/// Nothing for any other scheme, a missing host, user names in it, spaces and
/// control characters. A fragment is dropped.
std::optional<Url> parse_url(const std::string& text);

/// The address that `location` of a redirect means when `base` was asked for:
/// absolute, "//host/path", "/path" or relative to the folder of `base`.
std::optional<Url> resolve_url(const Url& base, const std::string& location);

}  // namespace ordered_gnn::data
