#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace ordered_gnn::cli {

/// The options of one group as help shows them, positional ones left out.
struct OptionGroup {
  std::string name;
  std::vector<const CLI::Option*> options;
};

/// Groups that help shows, those of the command itself ("Options") first.
std::vector<OptionGroup> option_groups(const CLI::App& command);

/// Words that a command takes by their place.
std::vector<const CLI::Option*> positionals(const CLI::App& command);

/// Subcommands that help shows, in their order.
std::vector<const CLI::App*> shown_subcommands(const CLI::App& command);

/// "-h,--help", "--data".
std::string names_text(const CLI::Option& option);

/// What follows the names: "INT [8]"; empty for a switch.
std::string option_values_text(const CLI::Option& option);

/// "ognn data info [OPTIONS] [DATASET]".
std::string usage_text(const CLI::App& command);

/// What stands below the options; empty when the command has nothing of its own
/// there, and CLI11 gave it its parent's.
std::string own_footer(const CLI::App& command);

/// Whether lines below this heading of a footer are commands to type.
bool holds_commands(const std::string& heading);

}  // namespace ordered_gnn::cli
