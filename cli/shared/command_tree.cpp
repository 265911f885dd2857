#include "shared/command_tree.h"

#include <algorithm>

#include "core/affixes.h"
#include "shared/arguments.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kOwnGroup = "Options";

bool is_shown(const CLI::Option& option) {
  return option.nonpositional() && !option.get_group().empty();
}

}  // namespace

std::vector<OptionGroup> option_groups(const CLI::App& command) {
  std::vector<OptionGroup> groups = {{kOwnGroup, {}}};
  for (const CLI::Option* option : command.get_options()) {
    if (!is_shown(*option)) continue;
    const auto same = [&](const OptionGroup& group) {
      return group.name == option->get_group();
    };
    auto found = std::find_if(groups.begin(), groups.end(), same);
    if (found == groups.end()) {
      found = groups.insert(groups.end(), {option->get_group(), {}});
    }
    found->options.push_back(option);
  }
  if (groups.front().options.empty()) groups.erase(groups.begin());
  return groups;
}

std::vector<const CLI::Option*> positionals(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<const CLI::App*> shown_subcommands(const CLI::App& command) {
  return command.get_subcommands(
      [](const CLI::App* sub) { return !sub->get_group().empty(); });
}

std::string names_text(const CLI::Option& option) {
  return option.get_name(/*positional=*/false, /*all_options=*/true);
}

std::string option_values_text(const CLI::Option& option) {
  // Of switches, CLI11 calls the type a boolean; checks are behind a colon.
  if (option.get_items_expected_max() == 0) return "";
  const std::string type = option.get_type_name();
  return type.substr(0, type.find(':'));
}

std::string usage_text(const CLI::App& command) {
  std::string text = full_name(command) + " [OPTIONS]";
  for (const CLI::Option* word : positionals(command)) {
    text += " [" + word->get_name(/*positional=*/true) + "]";
    if (word->get_expected_max() > 1) text += "...";
  }
  if (!shown_subcommands(command).empty()) text += " [COMMAND]";
  return text;
}

std::string own_footer(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  std::string footer = command.get_footer();
  return parent != nullptr && parent->get_footer() == footer ? "" : footer;
}

bool holds_commands(const std::string& heading) {
  return core::starts_with(heading, "Example") ||
         core::starts_with(heading, "Start");
}

}  // namespace ordered_gnn::cli
