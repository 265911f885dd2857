#pragma once
#include <CLI/CLI.hpp>
#include <cstddef>
#include <string>

namespace ordered_gnn::cli {

struct HelpStyle {
  size_t columns = 80;
  bool coloured = false;
};

/// The style for standard output as it is now.
HelpStyle help_style();

/// What a command does, how it is called, its options by group with their
/// defaults, and examples, wrapped to the style's columns.
std::string help_text(const CLI::App& command, const HelpStyle& style);

/// Makes `--help` of the app, and of commands added to it later, help_text().
void use_help_text(CLI::App& app);

}  // namespace ordered_gnn::cli
