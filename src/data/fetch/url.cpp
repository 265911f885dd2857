#include "data/fetch/url.h"

#include <algorithm>

namespace ordered_gnn::data {

std::optional<Url> parse_url(const std::string& text) {
  const bool printable =
      std::all_of(text.begin(), text.end(),
                  [](unsigned char c) { return c > 0x20 && c != 0x7f; });
  const size_t scheme_end = text.find("://");
  if (!printable || scheme_end == std::string::npos) return std::nullopt;
  const std::string scheme = text.substr(0, scheme_end);
  if (scheme != "http" && scheme != "https") return std::nullopt;
  const size_t host_begin = scheme_end + 3;
  const size_t path_begin =
      std::min(text.find_first_of("/?#", host_begin), text.size());
  const std::string host = text.substr(host_begin, path_begin - host_begin);
  if (host.empty() || host.find('@') != std::string::npos) return std::nullopt;
  Url url;
  url.origin = text.substr(0, path_begin);
  url.path = text.substr(path_begin, text.find('#', path_begin) - path_begin);
  if (url.path.empty() || url.path.front() != '/') url.path = "/" + url.path;
  return url;
}

std::optional<Url> resolve_url(const Url& base, const std::string& location) {
  if (location.empty()) return std::nullopt;
  if (location.find("://") != std::string::npos) return parse_url(location);
  if (core::starts_with(location, "//")) {
    return parse_url((base.secure() ? "https:" : "http:") + location);
  }
  if (location.front() == '/') return parse_url(base.origin + location);
  const std::string path = base.path.substr(0, base.path.find('?'));
  return parse_url(base.origin + path.substr(0, path.rfind('/') + 1) +
                   location);
}

}  // namespace ordered_gnn::data
