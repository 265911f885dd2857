#pragma once
#include <filesystem>
#include <string>

#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::lab {

/// Reads a file that holds one JSON object; comments are allowed. Where there
/// is no such file, the built-in one of that name is taken, see recipes.h.
/// @param otherwise  what to say of a file that holds something else.
/// @throws Error naming the file when it is missing, no JSON or no object.
Json read_json_object(const std::filesystem::path& file,
                      const std::string& otherwise);

/// Reads a recipe: a JSON object whose keys are option names. Keys that start
/// with "//" are comments. Where there is no such file, the built-in recipe of
/// that name is taken (see recipes.h): "table2/texas".
/// @throws Error naming the file when it is missing (with the nearest built-in
///         name) or no JSON object, and for an unknown key (with the nearest
///         known one) or an unfit value.
Json read_recipe(const std::filesystem::path& file);

/// Reads a recipe and sets its values with apply_values(): a recipe that names
/// a model starts from that model's defaults. Throws as read_recipe() does.
void apply_recipe(const std::filesystem::path& file, RunOptions& options);

/// The same for a recipe at hand; errors call it `where`.
void apply_recipe_text(const std::string& text, const std::string& where,
                       RunOptions& options);

}  // namespace ordered_gnn::lab
