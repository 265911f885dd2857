#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// The largest recipe or sweep file that is read.
constexpr int64_t kMaxRecipeBytes = 1 << 20;

/// A recipe or sweep file as it is written, without what its base says.
///
/// One file may hold several that have most in common. Its object "for" has
/// one object for each, and what stands beside "for" holds for all of them:
///
///     {"model": "gcn", "lr": 0.01,
///      "for": {"texas": {"data": "texas"},
///              "actor": {"data": "actor", "lr": 0.05}}}
///
/// In a file "systems/gcn.json" they are called "systems/gcn/texas.json" and
/// "systems/gcn/actor.json", as if they were files of their own.
struct RecipeDocument {
  bool built_in = false;
  std::filesystem::path file;  ///< on the disk, or in recipes/ when built in
  std::string member;          ///< of "for"; empty: the whole file
  std::string base;            ///< what it says of "base"; empty: nothing
  std::string sweep;  ///< what it says of "//sweep": the search that found it
  /// All other keys but comments, spelled with "-"; null takes back what the
  /// base says.
  Json values = Json::object();
};

/// "mine.json", "recipes/table2.json for texas", "built-in table2/texas".
std::string to_string(const RecipeDocument& document);

/// Finds what `name` means: a file; a recipe of a file with "for", when the
/// name ends in ".json"; else the built-in recipe of that name.
/// @param from  the document that names it: paths are relative to its folder,
///              and a built-in one knows built-in ones alone.
/// @throws Error naming the file when it cannot be read, is no JSON object or
///         holds several, UsageError for a "for" or "base" that is none.
std::optional<RecipeDocument> find_document(
    const std::filesystem::path& name, const RecipeDocument* from = nullptr);

/// The recipe `member` of the object of a file with "for"; nothing when it has
/// none of that name. Throws as find_document() does.
std::optional<RecipeDocument> member_document(const Json& object,
                                              const std::filesystem::path& file,
                                              const std::string& member);

/// "there is no such file; did you mean the built-in recipe 'table2/texas'?"
std::string missing_document(const std::filesystem::path& name,
                             const RecipeDocument* from = nullptr);

/// Sets what `upper` says over `lower`: key by key, also within "fixed",
/// "search" and other objects.
void put_over(const Json& upper, Json& lower);

/// The file with "for" in which a recipe of this path is or could be; empty
/// when there is none beside its folder, or a file of the path itself.
std::filesystem::path family_of(const std::filesystem::path& path);

}  // namespace ordered_gnn::lab
