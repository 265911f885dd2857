#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// Shells that completion_script() knows.
const std::vector<std::string>& completion_shells();

/// A script that completes subcommands, options and their fixed values, made
/// from the commands themselves.
std::string completion_script(const CLI::App& app, const std::string& shell);

}  // namespace ordered_gnn::cli
