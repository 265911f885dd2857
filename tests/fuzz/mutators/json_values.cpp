#include "fuzz/mutators/json_values.h"

#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace ordered_gnn::fuzz {
namespace {

using nlohmann::json;

// json::dump() calls itself for every level.
constexpr size_t kMostLevels = 200;

// Every value of the tree, itself first; none when it is too deep.
std::vector<json*> values_of(json& tree) {
  std::vector<json*> values;
  std::vector<std::pair<json*, size_t>> open = {{&tree, 0}};
  while (!open.empty()) {
    const auto [value, level] = open.back();
    open.pop_back();
    if (level > kMostLevels) return {};
    values.push_back(value);
    if (!value->is_structured()) continue;
    for (json& child : *value) open.emplace_back(&child, level + 1);
  }
  return values;
}

json unusual_value(Dice& dice) {
  static const std::vector<json> kValues = {
      nullptr,
      true,
      false,
      "",
      "nan",
      "../../x",
      "</script>",
      std::string(300, 'a'),
      json::array(),
      json::object(),
      0.5,
      -0.0,
      1e300,
      -1e300,
      5e-324,
      -1,
      std::numeric_limits<int64_t>::min(),
  };
  const size_t choice = dice.below(2 * kValues.size());
  return choice < kValues.size() ? kValues[choice] : json(dice.extreme());
}

// A place in an object or a list that is not empty.
json::iterator place_in(json& container, Dice& dice) {
  return std::next(container.begin(),
                   static_cast<std::ptrdiff_t>(dice.below(container.size())));
}

void put_twice(json& container, Dice& dice) {
  const auto place = place_in(container, dice);
  const json copy = *place;
  if (container.is_array()) {
    container.push_back(copy);
  } else {
    container[place.key() + "2"] = copy;
  }
}

// The value of one key under the key of another.
void swap_keys(json& object, Dice& dice) {
  const std::string one = place_in(object, dice).key();
  const std::string other = place_in(object, dice).key();
  object[one].swap(object[other]);
}

void step(json& number, Dice& dice) {
  if (number.is_number_float()) {
    number = number.get<double>() * (dice.once_in(2) ? -1 : 1e9);
  } else if (number.is_number_unsigned()) {
    number = number.get<uint64_t>() + (dice.once_in(2) ? 1 : ~uint64_t{0});
  } else {
    number = unusual_value(dice);
  }
}

void mutate_container(json& value, Dice& dice) {
  switch (dice.below(4)) {
    case 0:
      value.erase(place_in(value, dice));
      break;
    case 1:
      put_twice(value, dice);
      break;
    case 2:
      if (value.is_object()) swap_keys(value, dice);
      break;
    default:
      *place_in(value, dice) = unusual_value(dice);
  }
}

}  // namespace

bool mutate_json(json& tree, Dice& dice) {
  const std::vector<json*> values = values_of(tree);
  if (values.empty()) return false;
  json& value = *values[dice.below(values.size())];
  switch (dice.below(5)) {
    case 0:
      value = unusual_value(dice);
      break;
    case 1: {
      const json other = *values[dice.below(values.size())];
      value = other;
      break;
    }
    case 2:
      value = dice.once_in(2) ? json::array({value}) : json{{"a", value}};
      break;
    default:
      if (value.is_structured() && !value.empty()) {
        mutate_container(value, dice);
      } else if (value.is_number()) {
        step(value, dice);
      } else {
        value = unusual_value(dice);
      }
  }
  return true;
}

}  // namespace ordered_gnn::fuzz
