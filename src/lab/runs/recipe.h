#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "lab/runs/recipe_document.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// Bases that may follow each other.
constexpr size_t kMostBases = 16;

/// A recipe or sweep file and what it is based on.
struct RecipeChain {
  /// The one that was named, then its base, the base of that one and so on.
  std::vector<RecipeDocument> documents;
  /// What is wrong with a last base that is not there; empty: nothing is.
  std::string missing;
  /// Names that mean a file here although another recipe of that name is built
  /// in, for users to see.
  std::vector<std::string> notes;
};

/// Reads a recipe or sweep file, see find_document(), and its bases.
/// @param from  the document that names it; null: the user.
/// @throws Error naming the file when it is missing (with the nearest built-in
///         name) or no JSON object; UsageError naming all of the chain when
///         bases go in a circle or there are more than kMostBases.
RecipeChain read_chain(const std::filesystem::path& name,
                       const RecipeDocument* from = nullptr);

/// The bases of a document at hand.
RecipeChain chain_of(RecipeDocument document);

/// What documents say together, the first of them over all others; values that
/// are null are gone.
Json combined(const std::vector<RecipeDocument>& documents);

/// The same of recipes.
/// @throws UsageError naming the document for an unknown key (with the nearest
///         known one) or an unfit value.
Json combined_recipe(const std::vector<RecipeDocument>& documents);

/// Reads a recipe: a JSON object whose keys are option names, with "base" for
/// the recipe of which it says only what differs, or one of several in a file
/// with "for". Keys that start with "//" are comments. Where there is no such
/// file, the built-in recipe of that name is taken: "table2/texas".
///
/// The result is one layer for run_options_from_layers(): a recipe that names
/// another model than its base has the defaults of its own model, below all
/// that the base says.
/// @param notes  gets RecipeChain::notes when given.
/// @throws as read_chain() and combined_recipe() do.
Json read_recipe(const std::filesystem::path& name,
                 std::vector<std::string>* notes = nullptr);

/// The chain of a built-in recipe, whatever files there are.
RecipeChain read_builtin_chain(const std::string& name);

/// What a chain says as a recipe. Throws as combined_recipe() does, and Error
/// for a base that is missing.
Json recipe_of(const RecipeChain& chain);

/// Reads a recipe and sets its values with apply_values(): a recipe that names
/// a model starts from that model's defaults. Throws as read_recipe() does.
void apply_recipe(const std::filesystem::path& name, RunOptions& options);

}  // namespace ordered_gnn::lab
