#include "mutations/damage.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <functional>
#include <iterator>
#include <limits>
#include <vector>

#include "core/affixes.h"
#include "mutations/archives.h"

namespace ordered_gnn::mutations {
namespace {

using Random = std::mt19937_64;

constexpr size_t kMostBytes = size_t{1} << 20;

// Below `end`, which is at least 1.
size_t below(size_t end, Random& random) { return random() % end; }

struct Range {
  size_t begin = 0, size = 0;
};

// At least a byte of what has some, mostly few.
Range range_in(const std::string& content, Random& random) {
  if (content.empty()) return {};
  Range range;
  range.begin = below(content.size(), random);
  const size_t most = content.size() - range.begin;
  range.size =
      1 + below(random() % 4 == 0 ? most : std::min<size_t>(most, 16), random);
  return range;
}

std::string flipped(std::string content, Random& random) {
  for (size_t flips = 1 + below(3, random); flips > 0; --flips) {
    content[below(content.size(), random)] ^=
        static_cast<char>(1 + below(255, random));
  }
  return content;
}

std::string extended(const std::string& content, Random& random) {
  std::string more(1 + below(64, random), '\0');
  for (char& byte : more) byte = static_cast<char>(random());
  return content + (random() % 2 == 0 ? more : content);
}

std::string without_part(std::string content, Random& random) {
  const Range range = range_in(content, random);
  return content.erase(range.begin, range.size);
}

std::string repeated(std::string content, Random& random) {
  const Range range = range_in(content, random);
  const std::string part = content.substr(range.begin, range.size);
  const size_t most = std::max<size_t>(1, kMostBytes / part.size());
  const size_t times =
      1 + below(random() % 8 == 0 ? most : std::min<size_t>(most, 4), random);
  std::string more;
  for (size_t i = 0; i < times; ++i) more += part;
  return content.insert(range.begin, more);
}

std::string exchanged(std::string content, Random& random) {
  const Range from = range_in(content, random);
  const size_t to = below(content.size(), random);
  const size_t size = std::min(from.size, content.size() - to);
  for (size_t i = 0; i < size; ++i) {
    std::swap(content[from.begin + i], content[to + i]);
  }
  return content;
}

std::string spliced(std::string content, const std::string& other,
                    Random& random) {
  const Range range = range_in(content, random);
  const Range part = range_in(other, random);
  return content.replace(range.begin, range.size,
                         other.substr(part.begin, part.size));
}

std::string with_extreme_text(std::string content, Random& random) {
  static const char* const numbers[] = {
      "-1",    "0",     "2147483648", "4294967296", "9223372036854775807",
      "1e300", "1e999", "-1e300",     "NaN",        "18446744073709551616",
      "0.5",   "null",  "1e-320",     "\"1\"",      "99999999"};
  const size_t start = below(content.size(), random);
  const auto is_digit = [](unsigned char c) { return std::isdigit(c) != 0; };
  auto begin = std::find_if(content.begin() + static_cast<int64_t>(start),
                            content.end(), is_digit);
  if (begin == content.end()) {
    begin = std::find_if(content.begin(), content.end(), is_digit);
  }
  if (begin == content.end()) return flipped(std::move(content), random);
  const auto end = std::find_if_not(begin, content.end(), is_digit);
  return content.replace(begin, end,
                         numbers[below(std::size(numbers), random)]);
}

std::string with_extreme_bytes(std::string content, Random& random) {
  static constexpr int64_t kNumbers[] = {-1,
                                         0,
                                         1,
                                         std::numeric_limits<int32_t>::max(),
                                         int64_t{1} << 40,
                                         std::numeric_limits<int64_t>::max(),
                                         std::numeric_limits<int64_t>::min()};
  const int64_t number = kNumbers[below(std::size(kNumbers), random)];
  const size_t size =
      std::min<size_t>(content.size(), random() % 2 == 0 ? 4 : sizeof(number));
  const size_t place = below(content.size() - size + 1, random);
  std::memcpy(content.data() + place, &number, size);
  return content;
}

// The entries of an archive with one of them damaged.
std::string damaged_inside(const std::string& archive, Random& random,
                           std::string& how) {
  Files entries = unpacked(archive);
  const auto entry = std::next(
      entries.begin(), static_cast<int64_t>(below(entries.size(), random)));
  const std::string name = entry->first;
  entry->second = damaged(entry->second, archive, random, how);
  how = fmt::format("entry {} {}", name, how);
  return packed(entries);
}

std::string cut(const std::string& content, Random& random) {
  return content.substr(0, below(content.size(), random));
}

struct Kind {
  const char* how;
  std::function<std::string(const std::string& content,
                            const std::string& other, Random& random)>
      apply;
};

// A kind that looks at no other file.
template <typename Damage>
Kind alone(const char* how, Damage damage) {
  return {how, [damage](const std::string& content, const std::string&,
                        Random& random) { return damage(content, random); }};
}

// What stands here twice is done twice as often.
const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      alone("cut", cut),
      alone("extended", extended),
      alone("without a part", without_part),
      alone("with a part repeated", repeated),
      alone("with parts exchanged", exchanged),
      {"with a part of another file", spliced},
      alone("with an extreme number", with_extreme_text),
      alone("with an extreme number", with_extreme_text),
      alone("with extreme bytes", with_extreme_bytes),
      alone("with bytes changed", flipped)};
  return all;
}

}  // namespace

std::string damaged(const std::string& content, const std::string& other,
                    Random& random, std::string& how) {
  if (content.empty()) {
    how = "made of another file";
    return other;
  }
  const Kind& kind = kinds()[below(kinds().size(), random)];
  how = kind.how;
  return kind.apply(content, other, random);
}

Files damaged_files(const Files& files, Random& random, std::string& how) {
  Files result = files;
  const auto pick = [&] {
    return std::next(result.begin(),
                     static_cast<int64_t>(below(result.size(), random)));
  };
  const auto victim = pick();
  const std::string name = victim->first;
  if (below(100, random) == 0) {
    how = name + " missing";
    result.erase(victim);
    return result;
  }
  const bool is_archive = core::ends_with(name, ".npz");
  if (is_archive && random() % 2 == 0) {
    victim->second = damaged_inside(victim->second, random, how);
  } else {
    victim->second = damaged(victim->second, pick()->second, random, how);
  }
  how = fmt::format("{} {}", name, how);
  return result;
}

}  // namespace ordered_gnn::mutations
