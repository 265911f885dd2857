#pragma once
#include <filesystem>
#include <string>

#include "lab/report/page.h"
#include "ordered_gnn/core/options.h"

namespace ordered_gnn::lab {

/// One page per kind of folder; see run_page().
Page train_page(const std::filesystem::path& folder);
Page sweep_page(const std::filesystem::path& folder);
Page comparison_page(const std::filesystem::path& folder);
Page reproduction_page(const std::filesystem::path& folder);

/// A page with a title and the program's name, and no sections.
Page empty_page(const std::string& title, const std::string& subtitle);

/// An object that a command of ours wrote.
/// @throws Error naming the file when it is missing, no JSON, or no object.
Json read_object(const std::filesystem::path& file);

/// A number, or NaN for null and for what is not there.
double number_of(const Json& object, const char* key);

/// Options, their values and the defaults of their model where these differ:
/// those that differ first, each part in the order of the options table. Keys
/// that begin with "//" are left out.
PageTable options_table(const std::string& caption, const Json& options);

}  // namespace ordered_gnn::lab
