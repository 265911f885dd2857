#include "core/io/text/text.h"
#include "data/fetch/content_range.h"
#include "data/fetch/url.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

namespace {

// Where a redirect leads: an address that can be asked for and names no other
// header, or none.
void follow(const data::Url& base, const std::string& location) {
  const std::optional<data::Url> url = data::resolve_url(base, location);
  if (!url) fail("'{}' is no address", location);
  fuzz::must_succeed("an address of ours is none", [&] {
    const std::optional<data::Url> again = data::parse_url(url->text());
    const bool is_same = again && again->text() == url->text();
    if (!is_same || url->text().find_first_of("\r\n ") != std::string::npos) {
      fail("'{}'", url->text());
    }
  });
}

}  // namespace

// What a server says, a header a line: "bytes 1-2/3" is a Content-Range, all
// others are the Location of a redirect.
void fuzz::try_http(std::string_view input) {
  const data::Url base = *data::parse_url("https://host/a/b?c");
  core::FieldCursor lines(input, '\n');
  for (std::string_view line; lines.next(line);) {
    if (data::parse_content_range(line).offset >= 0) continue;
    follow(base, std::string(line));
  }
}

}  // namespace ordered_gnn
