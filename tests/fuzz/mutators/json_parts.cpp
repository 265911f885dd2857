#include <algorithm>
#include <vector>

#include "fuzz/mutators/json_values.h"
#include "fuzz/mutators/mutators.h"
#include "fuzz/parts.h"

namespace ordered_gnn::fuzz {
namespace {

using nlohmann::json;

// Empty when it is no JSON.
std::string mutated_text(std::string_view text, Dice& dice) {
  json tree = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (tree.is_discarded()) return "";
  // Several changes at a time get where single ones are refused.
  do {
    if (!mutate_json(tree, dice)) return "";
  } while (dice.once_in(3));
  return tree.dump(-1, ' ', false, json::error_handler_t::replace);
}

// The same for one of several lines.
std::string mutated_line(std::string_view text, Dice& dice) {
  const auto lines =
      static_cast<size_t>(std::count(text.begin(), text.end(), '\n') + 1);
  size_t begin = 0;
  for (size_t skip = dice.below(lines); skip > 0; --skip) {
    begin = text.find('\n', begin) + 1;
  }
  const size_t end = std::min(text.find('\n', begin), text.size());
  const std::string line = mutated_text(text.substr(begin, end - begin), dice);
  if (line.empty()) return "";
  return std::string(text.substr(0, begin)) + line +
         std::string(text.substr(end));
}

}  // namespace

std::string mutate_json_parts(std::string_view input, Dice& dice) {
  std::vector<Part> parts = split_parts(input);
  if (parts.empty()) return "";
  Part& part = parts[dice.below(parts.size())];
  std::string changed = mutated_text(part.bytes, dice);
  if (changed.empty()) changed = mutated_line(part.bytes, dice);
  if (changed.empty()) return "";
  part.bytes = changed;
  return join_parts(parts);
}

}  // namespace ordered_gnn::fuzz
