#include "core/io/npy/header.h"

#include <algorithm>
#include <charconv>
#include <set>

#include "core/affixes.h"
#include "core/io/little_endian.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint32_t kMaxDictionary = uint32_t{1} << 20;
constexpr size_t kMaxNpyDims = 64;  // as many as NumPy knows

// The few Python literals that NumPy writes: strings, True and False, tuples
// of integers.
class DictionaryParser {
 public:
  DictionaryParser(std::string_view text, const std::string& place)
      : text_(text), place_(place) {}

  NpyHeader parse() {
    NpyHeader header;
    std::set<std::string> seen;
    expect('{');
    while (!accept('}')) {
      const std::string key = parse_string();
      if (!seen.insert(key).second) refuse("key '" + key + "' is there twice");
      expect(':');
      parse_value(key, header);
      if (accept('}')) break;
      expect(',');
    }
    if (skip_spaces() != text_.size()) refuse("text after the dictionary");
    if (seen.size() != 3) {
      refuse("needs 'descr', 'fortran_order' and 'shape'");
    }
    return header;
  }

 private:
  [[noreturn]] void refuse(const std::string& why) const {
    fail_in(place_,
            fmt::format("bad .npy header at character {}: {}", position_, why));
  }

  size_t skip_spaces() {
    position_ =
        std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    return position_;
  }

  bool accept(char wanted) {
    if (skip_spaces() == text_.size() || text_[position_] != wanted) {
      return false;
    }
    ++position_;
    return true;
  }

  void expect(char wanted) {
    if (!accept(wanted)) refuse(fmt::format("expected '{}'", wanted));
  }

  bool accept_word(std::string_view word) {
    skip_spaces();
    if (!starts_with(text_.substr(position_), word)) return false;
    position_ += word.size();
    return true;
  }

  void parse_value(const std::string& key, NpyHeader& header) {
    if (key == "descr") {
      header.descr = parse_descr();
    } else if (key == "fortran_order") {
      header.fortran_order = parse_bool();
    } else if (key == "shape") {
      header.shape = parse_shape();
    } else {
      refuse("unknown key '" + key + "'");
    }
  }

  std::string parse_descr() {
    if (accept('[')) {
      fail_in(place_,
              "structured arrays are not read; save each field as an array of "
              "its own");
    }
    return parse_string();
  }

  std::string parse_string() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t stop = text_.find(quote, position_);
    if (stop == std::string_view::npos) refuse("a string without end");
    const std::string value(text_.substr(position_, stop - position_));
    for (const char c : value) {
      if (c < ' ' || c > '~' || c == '\\') refuse("an odd character");
    }
    position_ = stop + 1;
    return value;
  }

  bool parse_bool() {
    if (accept_word("True")) return true;
    if (!accept_word("False")) refuse("expected True or False");
    return false;
  }

  std::vector<int64_t> parse_shape() {
    std::vector<int64_t> shape;
    bool comma = true;
    expect('(');
    while (!accept(')')) {
      if (!comma) refuse("expected ',' or ')'");
      if (shape.size() == kMaxNpyDims) refuse("more than 64 dimensions");
      shape.push_back(parse_size());
      comma = accept(',');
    }
    if (shape.size() == 1 && !comma) refuse("the shape is not a tuple");
    return shape;
  }

  int64_t parse_size() {
    skip_spaces();
    const char* const begin = text_.data() + position_;
    const char* const end = text_.data() + text_.size();
    int64_t value = 0;
    const auto [stop, status] = std::from_chars(begin, end, value);
    if (status == std::errc::result_out_of_range) refuse("a size too large");
    if (status != std::errc{}) refuse("expected a size");
    if (value < 0) refuse("a negative size");
    position_ += static_cast<size_t>(stop - begin);
    accept_word("L");  // files written by Python 2
    return value;
  }

  std::string_view text_;
  const std::string& place_;
  size_t position_ = 0;
};

}  // namespace

NpyHeader parse_npy_dictionary(std::string_view text,
                               const std::string& place) {
  return DictionaryParser(text, place).parse();
}

NpyHeader read_npy_header(ByteSource& source) {
  std::string start(kMagic.size() + 2, '\0');
  source.read(start.data(), static_cast<int64_t>(start.size()));
  if (!starts_with(start, kMagic)) {
    fail_in(source.place(), "is no .npy array: its first bytes differ");
  }
  const int major = static_cast<unsigned char>(start[kMagic.size()]);
  const int minor = static_cast<unsigned char>(start[kMagic.size() + 1]);
  if (major < 1 || major > 3 || minor != 0) {
    fail_in(source.place(), fmt::format(".npy version {}.{} is not known; "
                                        "expected 1.0, 2.0 or 3.0",
                                        major, minor));
  }
  char length_bytes[4] = {};
  source.read(length_bytes, major == 1 ? 2 : 4);
  const uint32_t length = load_le<uint32_t>(length_bytes);
  if (length > kMaxDictionary || length > source.remaining()) {
    fail_in(source.place(),
            fmt::format("bad .npy header: it states {} bytes, {} are there",
                        length, source.remaining()));
  }
  std::string dictionary(length, '\0');
  source.read(dictionary.data(), length);
  return parse_npy_dictionary(dictionary, source.place());
}

}  // namespace ordered_gnn::core
