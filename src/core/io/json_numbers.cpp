#include "core/io/json_numbers.h"

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

// A value as errors show it: not a whole tree, nor a long text.
std::string shown_value(const Json& value) {
  constexpr size_t kMostShown = 40;
  if (value.is_structured()) return value.is_object() ? "an object" : "a list";
  const std::string text =
      value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() > kMostShown ? "a long text" : text;
}

// " from 0 to 5"; nothing where everything is allowed.
std::string range_text(double least, double most) {
  using Limits = std::numeric_limits<double>;
  const bool has_least = least > Limits::lowest();
  const bool has_most = most < Limits::max();
  if (has_least && has_most)
    return fmt::format(" from {:g} to {:g}", least, most);
  if (has_least) return fmt::format(" of at least {:g}", least);
  return has_most ? fmt::format(" of at most {:g}", most) : "";
}

const Json& value_under(const Json& object, const std::string& key) {
  const auto found = object.find(key);
  if (found == object.end()) fail("has no '{}'", key);
  return *found;
}

int64_t checked_whole(const Json& value, const std::string& key, int64_t least,
                      int64_t most) {
  if (!is_whole_number(value, least, most)) {
    fail("'{}' must be a whole number from {} to {}, not {}", key, least, most,
         shown_value(value));
  }
  return value.get<int64_t>();
}

}  // namespace

bool is_whole_number(const Json& value, int64_t least, int64_t most) {
  if (!value.is_number_integer()) return false;
  constexpr uint64_t kMost = std::numeric_limits<int64_t>::max();
  if (value.is_number_unsigned() && value.get<uint64_t>() > kMost) return false;
  const auto number = value.get<int64_t>();
  return number >= least && number <= most;
}

int64_t whole_number(const Json& object, const std::string& key, int64_t least,
                     int64_t most) {
  return checked_whole(value_under(object, key), key, least, most);
}

int64_t whole_number_or(int64_t missing, const Json& object,
                        const std::string& key, int64_t least, int64_t most) {
  const auto found = object.find(key);
  return found == object.end() ? missing
                               : checked_whole(*found, key, least, most);
}

double real_number(const Json& object, const std::string& key, double least,
                   double most) {
  const Json& value = value_under(object, key);
  const double number = number_or_nan(value);
  if (!(number >= least && number <= most)) {
    fail("'{}' must be a number{}, not {}", key, range_text(least, most),
         shown_value(value));
  }
  return number;
}

}  // namespace ordered_gnn::core
