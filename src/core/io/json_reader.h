#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "core/affixes.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::core {

/// JSON whose keys stay in the order of the text. Finding a key takes a step
/// for every key: for small files that are written again.
using OrderedJson = nlohmann::ordered_json;

/// Most objects and lists within each other. Whatever copies, prints or
/// destroys a tree calls itself for every level, so that a text of a hundred
/// thousand brackets would overflow the stack.
constexpr int64_t kMaxJsonDepth = 64;

/// What a text may be.
struct JsonRules {
  int64_t max_bytes = int64_t{1} << 24;
  bool comments = false;  ///< // and /* */ are passed over
  /// An object with a key twice is refused: one of two values would be lost in
  /// silence. Otherwise the last one counts.
  bool unique_keys = false;
};

/// Reads a text as JSON; nothing else in the program does.
/// @param place  names the text: a file, or a part such as
///               "m.safetensors: metadata 'config'".
/// @throws Error "PLACE: is no JSON: REASON (line 2, column 7)", for a text of
///         one line with the column alone; also when it is nested deeper than
///         kMaxJsonDepth, has more bytes than the rules allow, or a key twice
///         where they do not.
Json parse_json(std::string_view text, const std::string& place,
                const JsonRules& rules = {});
OrderedJson parse_ordered_json(std::string_view text, const std::string& place,
                               const JsonRules& rules = {});

/// Nothing where parse_json() throws: for what a kill may have cut.
std::optional<Json> parse_json_or_nothing(std::string_view text,
                                          const JsonRules& rules = {});

/// parse_json() of a whole file.
/// @throws Error also when the file cannot be read.
Json read_json(const std::filesystem::path& file, const JsonRules& rules = {});

/// Gives the pieces of a text to `events` one by one and builds nothing: for
/// texts of a hundred megabytes. Depth and double keys are up to `events`, and
/// so is what becomes of a text that is no JSON (its parse_error()).
void walk_json(std::string_view text, nlohmann::json_sax<Json>& events);

/// What the JSON library says, without the number that it gives the case.
std::string json_reason(const Json::exception& error);

/// Calls `body`, which takes values out of what was read. What it throws about
/// missing keys, other types and values becomes an Error that begins with the
/// file and, where it is not empty, the part of it.
template <typename Body>
auto reading(const std::filesystem::path& file, const std::string& part,
             const Body& body) {
  const std::string where = part.empty() ? "" : part + ": ";
  try {
    return body();
  } catch (const Json::exception& error) {
    fail_in(file, where + "cannot be used: " + json_reason(error));
  } catch (const Error& error) {
    if (starts_with(error.what(), file.string())) throw;
    fail_in(file, where + error.what());
  }
}

template <typename Body>
auto reading(const std::filesystem::path& file, const Body& body) {
  return reading(file, "", body);
}

}  // namespace ordered_gnn::core
