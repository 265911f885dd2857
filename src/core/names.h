#pragma once
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace ordered_gnn::core {

/// The entry of `known` with the smallest edit distance to `name`, upper and
/// lower case being the same, or an empty string when nothing is close enough
/// to be a likely misspelling.
std::string nearest_name(std::string_view name,
                         const std::vector<std::string>& known);

/// `text` with the letters A to Z as a to z.
std::string lower_case(std::string_view text);

/// "unknown dataset 'txas'; did you mean 'texas'? Known: cora, texas".
std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string>& known);

/// "gcn", "gcn and mlp", "gcn, gat and mlp".
std::string listed(const std::vector<std::string>& names);

/// Position of `name` in `known`.
/// @throws UsageError with unknown_name_message().
size_t parse_name(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& known);

/// The enumerator whose position is that of `name` in `known`.
template <typename Enum>
Enum parse_enum(std::string_view kind, std::string_view name,
                const std::vector<std::string>& known) {
  return static_cast<Enum>(parse_name(kind, name, known));
}

/// A value of an enumeration and what it is called.
template <typename Enum>
struct EnumWord {
  Enum value;
  const char* word;
};

/// What `value` is called: the list has a word for every value.
template <typename Enum>
const char* word_of(Enum value, std::initializer_list<EnumWord<Enum>> words) {
  for (const EnumWord<Enum>& each : words) {
    if (each.value == value) return each.word;
  }
  throw std::logic_error("a value of an enumeration without a word");
}

}  // namespace ordered_gnn::core
