#include "lab/serve/request_head.h"

#include <algorithm>

#include "core/affixes.h"
#include "core/names.h"

namespace ordered_gnn::lab {
namespace {

constexpr int kBadRequest = 400, kUnknownType = 415, kTooLarge = 431,
              kNotImplemented = 501;
constexpr std::string_view kLineEnd = "\r\n";

bool is_token(std::string_view text) {
  constexpr std::string_view kOthers = "!#$%&'*+-.^_`|~";
  return !text.empty() && std::all_of(text.begin(), text.end(), [&](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || kOthers.find(c) != std::string_view::npos;
  });
}

bool is_visible(char c) {
  return static_cast<unsigned char>(c) > ' ' && c != '\x7f';
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

// Takes the next line off, without its end.
std::string_view take_line(std::string_view& text) {
  const size_t end = text.find(kLineEnd);
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size()
                                                   : end + kLineEnd.size());
  return line;
}

// The first line as it is passed on; nothing when it is none.
std::string request_line(std::string_view line) {
  const size_t blank = line.find(' ');
  const size_t last = line.rfind(' ');
  if (blank == std::string_view::npos || blank == last) return "";
  const std::string_view target = line.substr(blank + 1, last - blank - 1);
  const std::string_view version = line.substr(last + 1);
  if (!is_token(line.substr(0, blank)) || target.empty() ||
      !std::all_of(target.begin(), target.end(), is_visible) ||
      (version != "HTTP/1.1" && version != "HTTP/1.0")) {
    return "";
  }
  std::string out(line);
  // A query may hold question marks; cpp-httplib takes one.
  const size_t query = out.find('?');
  for (size_t at = out.rfind('?'); at != query; at = out.rfind('?', at)) {
    out.replace(at, 1, "%3F");
  }
  return out + std::string(kLineEnd);
}

bool wants_end(std::string_view connection) {
  while (!connection.empty()) {
    const size_t comma = connection.find(',');
    const std::string_view word = trimmed(connection.substr(0, comma));
    if (core::lower_case(word) == "close") return true;
    connection.remove_prefix(comma == std::string_view::npos ? connection.size()
                                                             : comma + 1);
  }
  return false;
}

// Reads the fields of a head one by one.
class FieldReader {
 public:
  explicit FieldReader(RequestHead& out) : out_(out) {}

  // False when the line is refused.
  bool take(std::string_view line) {
    const size_t colon = line.find(':');
    if (colon == std::string_view::npos || !is_token(line.substr(0, colon))) {
      return refuse(kBadRequest, "a header is NAME: VALUE on one line");
    }
    const std::string name = core::lower_case(line.substr(0, colon));
    const std::string_view value = trimmed(line.substr(colon + 1));
    const bool has_control = std::any_of(
        value.begin(), value.end(),
        [](char c) { return c != ' ' && c != '\t' && !is_visible(c); });
    if (has_control) {
      return refuse(kBadRequest, "a header has control characters");
    }
    if (++fields_ > RequestHead::kMostFields) {
      return refuse(kTooLarge, "there are too many headers");
    }
    if (!take_known(name, value)) return false;
    if (name != "range" && name != "if-range") pass_on(line, colon, value);
    return true;
  }

  // What only all fields together show.
  bool finish(bool is_first_version) {
    if (hosts_ > 1 || (hosts_ == 0 && !is_first_version)) {
      return refuse(kBadRequest, "a request has one Host header");
    }
    if (out_.is_chunked && (out_.has_length || is_first_version)) {
      return refuse(kBadRequest,
                    "the length of the body can be read in two ways: give "
                    "Content-Length or Transfer-Encoding");
    }
    return true;
  }

 private:
  bool refuse(int status, const char* why) {
    out_ = refused_head(status, why);
    return false;
  }

  bool take_known(const std::string& name, std::string_view value) {
    if (name == "host") ++hosts_;
    if (name == "connection" && wants_end(value)) out_.is_last = true;
    if (name == "content-length") {
      constexpr size_t kMostDigits = 18;
      const bool is_number =
          !value.empty() && value.size() <= kMostDigits &&
          value.find_first_not_of("0123456789") == std::string_view::npos;
      if (!is_number || out_.has_length) {
        return refuse(kBadRequest, "Content-Length is one whole number");
      }
      out_.has_length = true;
      out_.length = std::stoull(std::string(value));
    }
    if (name == "transfer-encoding") {
      if (core::lower_case(value) != "chunked" || out_.is_chunked) {
        return refuse(kNotImplemented,
                      "the only Transfer-Encoding that is known is chunked");
      }
      out_.is_chunked = true;
    }
    if (name == "content-encoding" && core::lower_case(value) != "identity") {
      return refuse(kUnknownType, "a body is not compressed");
    }
    return true;
  }

  void pass_on(std::string_view line, size_t colon, std::string_view value) {
    out_.text += line.substr(0, colon);
    out_.text += ": ";
    for (const char c : value) {
      out_.text += c;
      if (c == '%') out_.text += "25";
    }
    out_.text += kLineEnd;
  }

  RequestHead& out_;
  size_t fields_ = 0;
  int hosts_ = 0;
};

}  // namespace

RequestHead refused_head(int status, std::string problem) {
  RequestHead out;
  out.status = status;
  out.problem = std::move(problem);
  out.is_last = true;
  return out;
}

RequestHead checked_head(std::string_view head) {
  const std::string_view first = take_line(head);
  RequestHead out;
  out.text = request_line(first);
  if (out.text.empty()) {
    return refused_head(kBadRequest,
                        "a request begins with METHOD PATH HTTP/1.1");
  }
  FieldReader fields(out);
  while (true) {
    const std::string_view line = take_line(head);
    if (line.empty()) break;
    if (!fields.take(line)) return out;
  }
  if (fields.finish(core::ends_with(first, "HTTP/1.0"))) out.text += kLineEnd;
  return out;
}

}  // namespace ordered_gnn::lab
