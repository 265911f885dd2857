#include "data/tables/xml_reader.h"

#include <algorithm>
#include <charconv>

#include "core/affixes.h"
#include "core/io/text/text.h"
#include "core/utf8.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::data {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

std::string_view local_name(std::string_view name) {
  const size_t colon = name.rfind(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// "#65" or "#x41"; false for what is no character.
bool append_reference(std::string_view digits, std::string& out) {
  const bool hex = core::take_prefix(digits, "x");
  uint32_t code = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stop, status] =
      std::from_chars(digits.data(), end, code, hex ? 16 : 10);
  const bool is_surrogate = code >= 0xD800 && code < 0xE000;
  if (status != std::errc{} || stop != end || code == 0 || code > 0x10FFFF ||
      is_surrogate) {
    return false;
  }
  core::append_utf8(code, out);
  return true;
}

}  // namespace

void XmlReader::fail(const std::string& message) const {
  fail_at({file_, next_line_}, message);
}

void XmlReader::move_to(size_t position) {
  next_line_ +=
      std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                 text_.begin() + static_cast<std::ptrdiff_t>(position), '\n');
  at_ = position;
}

// Skips a comment, an instruction or a DOCTYPE at the current place.
bool XmlReader::skip_markup() {
  const std::string_view rest = text_.substr(at_);
  struct Markup {
    std::string_view begin, end;
  };
  for (const Markup& markup :
       {Markup{"<!--", "-->"}, Markup{"<?", "?>"}, Markup{"<!DOCTYPE", ">"}}) {
    if (!core::starts_with(rest, markup.begin)) continue;
    const size_t stop = rest.find(markup.end, markup.begin.size());
    if (stop == std::string_view::npos) fail("'<!' or '<?' is not closed");
    if (rest.substr(0, stop).find("<!ENTITY") != std::string_view::npos) {
      fail("the DOCTYPE declares entities, which are not read");
    }
    move_to(at_ + stop + markup.end.size());
    return true;
  }
  return false;
}

std::string XmlReader::resolved(std::string_view raw) const {
  std::string out;
  while (!raw.empty()) {
    const size_t mark = raw.find('&');
    out += raw.substr(0, mark);
    if (mark == std::string_view::npos) break;
    raw.remove_prefix(mark + 1);
    const size_t stop = raw.find(';');
    const std::string_view name = raw.substr(0, stop);
    if (stop == std::string_view::npos) fail("'&' without ';'");
    raw.remove_prefix(stop + 1);
    if (name == "amp")
      out += '&';
    else if (name == "lt")
      out += '<';
    else if (name == "gt")
      out += '>';
    else if (name == "quot")
      out += '"';
    else if (name == "apos")
      out += '\'';
    else if (!core::starts_with(name, "#") ||
             !append_reference(name.substr(1), out)) {
      fail(fmt::format("unknown entity '&{};'", name.substr(0, 40)));
    }
  }
  return out;
}

// `at_` is at '<' of an element.
void XmlReader::take_tag() {
  const bool closes = core::starts_with(text_.substr(at_), "</");
  size_t at = at_ + (closes ? 2 : 1);
  const auto take_name = [&] {
    const size_t begin = at;
    at = text_.find_first_of(" \t\r\n/>=", at);
    if (at == std::string_view::npos || at == begin) fail("an element is cut");
    return text_.substr(begin, at - begin);
  };
  const auto skip_blanks = [&] {
    at = text_.find_first_not_of(kBlanks, at);
    if (at == std::string_view::npos) fail("an element is not closed");
  };
  name_ = local_name(take_name());
  attributes_.clear();
  for (skip_blanks(); text_[at] != '>' && text_[at] != '/'; skip_blanks()) {
    const std::string key(take_name());
    skip_blanks();
    if (text_[at] != '=') fail(fmt::format("attribute '{}' has no value", key));
    ++at;
    skip_blanks();
    const char quote = text_[at];
    const size_t stop = quote == '"' || quote == '\''
                            ? text_.find(quote, at + 1)
                            : std::string_view::npos;
    if (stop == std::string_view::npos) {
      fail(fmt::format("the value of '{}' is not in quotes", key));
    }
    attributes_[key] = resolved(text_.substr(at + 1, stop - at - 1));
    at = stop + 1;
  }
  ends_too_ = text_[at] == '/';
  if (ends_too_) ++at;
  if (at >= text_.size() || text_[at] != '>') fail("an element is not closed");
  move_to(at + 1);
}

XmlReader::Event XmlReader::next() {
  if (ends_too_) {
    ends_too_ = false;
    return Event::end;
  }
  for (;;) {
    if (at_ == text_.size()) return Event::done;
    line_ = next_line_;
    if (text_[at_] == '<') {
      constexpr std::string_view kData = "<![CDATA[";
      if (core::starts_with(text_.substr(at_), kData)) {
        const size_t stop = text_.find("]]>", at_);
        if (stop == std::string_view::npos) fail("CDATA is not closed");
        const size_t begin = at_ + kData.size();
        content_ = text_.substr(begin, stop - begin);
        move_to(stop + 3);
        return Event::text;
      }
      if (skip_markup()) continue;
      const bool closes = core::starts_with(text_.substr(at_), "</");
      take_tag();
      return closes ? Event::end : Event::begin;
    }
    const size_t stop = std::min(text_.find('<', at_), text_.size());
    const std::string_view raw = text_.substr(at_, stop - at_);
    const bool blank = raw.find_first_not_of(kBlanks) == std::string_view::npos;
    if (!blank) content_ = resolved(raw);
    move_to(stop);
    if (!blank) return Event::text;
  }
}

}  // namespace ordered_gnn::data
