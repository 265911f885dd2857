#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ordered_gnn {

using Json = nlohmann::json;

enum class OptionKind { flag, integer, real, text };

/// What there is to say about one option, whatever struct it is a field of.
/// The name is the command line's without the leading dashes and the key in
/// recipes and checkpoints.
struct OptionSpec {
  std::string name;
  std::string group;
  std::string help;
  OptionKind kind = OptionKind::text;
  std::vector<std::string> choices;  ///< texts allowed; empty: any
  double min = -std::numeric_limits<double>::infinity();
  double max = std::numeric_limits<double>::infinity();
  std::string zero_word = {};  ///< what the command line takes for 0, if any
  /// Says which runs there are or how they are computed; no run comes out
  /// otherwise, so it is no part of what a run is told by (run_identity()).
  bool execution_only = false;
};

/// "an integer of at least 1", "one of mean, gcn, ...": for help and errors.
std::string describe_values(const OptionSpec& spec);

/// A value as the command line takes it: for help.
std::string value_text(const Json& value);

/// Checks a value from a recipe against its description. NaN and infinity fit
/// nothing.
/// @throws UsageError naming the option, what it takes and what it got.
void check_option(const OptionSpec& spec, const Json& value);

/// Reads a command-line word as the option's kind and checks it.
Json parse_option(const OptionSpec& spec, const std::string& word);

/// One field of the options struct `S` with its description. A vector of these
/// is the single source of help, recipes, checkpoints and docs.
template <typename S>
struct Option {
  OptionSpec spec;
  std::function<Json(const S&)> get;
  std::function<void(S&, const Json&)> set;
};

/// Describes a field of plain type, reached by `field(S&) -> T&` or by a
/// pointer to member. An unsigned field takes the range of its type.
template <typename S, typename Field>
Option<S> option(std::string name, std::string group, Field field,
                 std::string help) {
  using T = std::decay_t<std::invoke_result_t<Field, S&>>;
  Option<S> out;
  out.spec.name = std::move(name);
  out.spec.group = std::move(group);
  out.spec.help = std::move(help);
  out.spec.kind = std::is_same_v<T, bool>       ? OptionKind::flag
                  : std::is_integral_v<T>       ? OptionKind::integer
                  : std::is_floating_point_v<T> ? OptionKind::real
                                                : OptionKind::text;
  if constexpr (std::is_unsigned_v<T> && !std::is_same_v<T, bool>) {
    out.spec.min = 0;
    out.spec.max = static_cast<double>(std::numeric_limits<T>::max());
  }
  out.get = [field](const S& options) {
    return Json(std::invoke(field, const_cast<S&>(options)));
  };
  out.set = [field](S& options, const Json& value) {
    std::invoke(field, options) = value.get<T>();
  };
  return out;
}

/// Limits a numeric option to [min, max].
template <typename S>
Option<S> in_range(Option<S> option, double min,
                   double max = std::numeric_limits<double>::infinity()) {
  option.spec.min = min;
  option.spec.max = max;
  return option;
}

/// Lets the command line say `word` for 0.
template <typename S>
Option<S> zero_word(Option<S> option, std::string word) {
  option.spec.zero_word = std::move(word);
  return option;
}

/// Marks an option as OptionSpec::execution_only.
template <typename S>
Option<S> execution_only(Option<S> option) {
  option.spec.execution_only = true;
  return option;
}

/// Limits a text option to a list.
template <typename S>
Option<S> one_of(Option<S> option, std::vector<std::string> choices) {
  option.spec.choices = std::move(choices);
  return option;
}

/// Describes an enumeration field by its to_string() and parse function.
template <typename S, typename Field, typename Parse>
Option<S> enum_option(std::string name, std::string group, Field field,
                      Parse parse, std::vector<std::string> choices,
                      std::string help) {
  Option<S> out;
  out.spec = {std::move(name), std::move(group), std::move(help),
              OptionKind::text, std::move(choices)};
  out.get = [field](const S& options) {
    return Json(to_string(field(const_cast<S&>(options))));
  };
  out.set = [field, parse](S& options, const Json& value) {
    field(options) = parse(value.get<std::string>());
  };
  return out;
}

/// Rows about a part of `Whole` as rows about the whole, the part reached by
/// `select(Whole&) -> Part&`.
template <typename Whole, typename Part, typename Select>
std::vector<Option<Whole>> lifted(const std::vector<Option<Part>>& rows,
                                  Select select) {
  std::vector<Option<Whole>> out;
  for (const Option<Part>& row : rows) {
    Option<Whole> whole;
    whole.spec = row.spec;
    whole.get = [row, select](const Whole& options) {
      return row.get(select(const_cast<Whole&>(options)));
    };
    whole.set = [row, select](Whole& options, const Json& value) {
      row.set(select(options), value);
    };
    out.push_back(std::move(whole));
  }
  return out;
}

/// Names in table order.
template <typename S>
std::vector<std::string> option_names(const std::vector<Option<S>>& table) {
  std::vector<std::string> names;
  for (const Option<S>& entry : table) names.push_back(entry.spec.name);
  return names;
}

/// Checks every field of `options`, however it was filled.
/// @throws UsageError as check_option() does.
template <typename S>
void check_options(const std::vector<Option<S>>& table, const S& options) {
  for (const Option<S>& entry : table) {
    check_option(entry.spec, entry.get(options));
  }
}

/// All values as one JSON object.
template <typename S>
Json to_json(const std::vector<Option<S>>& table, const S& options) {
  Json out = Json::object();
  for (const Option<S>& entry : table) {
    out[entry.spec.name] = entry.get(options);
  }
  return out;
}

/// @throws UsageError "unknown <kind> 'x'; did you mean 'y'?".
[[noreturn]] void fail_unknown_option(const std::string& kind,
                                      const std::string& name,
                                      const std::vector<std::string>& known);

/// Whether a key of a file is a comment: those that start with "//" are.
bool is_comment_key(const std::string& key);

/// Whether both name the same option: "_" and "-" are the same.
bool same_option(const std::string& name, const std::string& other);

/// The row that is called `name`, see same_option().
/// @throws UsageError "unknown <kind> 'x'; did you mean 'y'?".
template <typename S>
const Option<S>& find_option(const std::vector<Option<S>>& table,
                             const std::string& kind, const std::string& name) {
  for (const Option<S>& entry : table) {
    if (same_option(entry.spec.name, name)) return entry;
  }
  fail_unknown_option(kind, name, option_names(table));
}

/// Sets every key of `values` that is no comment.
/// @throws UsageError for an unknown key or a value that does not fit.
template <typename S>
void apply_json(const std::vector<Option<S>>& table, const Json& values,
                S& options) {
  for (const auto& [key, value] : values.items()) {
    if (is_comment_key(key)) continue;
    const Option<S>& entry = find_option(table, "key", key);
    check_option(entry.spec, value);
    entry.set(options, value);
  }
}

}  // namespace ordered_gnn
