#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "commands.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/command_tree.h"
#include "shared/help_text.h"
#include "shared/man_page.h"
#include "shared/standard_streams.h"

namespace ordered_gnn::cli {
namespace {

struct HelpCommand {
  const CLI::App* app = nullptr;
  std::vector<std::string> words;
  bool man = false;
};

const CLI::App& command_of(const CLI::App& app,
                           const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const std::vector<const CLI::App*> subs = shown_subcommands(*command);
    if (subs.empty()) {
      throw UsageError(
          fmt::format("'{}' has no commands of its own, so there "
                      "is no '{}' to help with",
                      full_name(*command), word));
    }
    std::vector<std::string> names;
    for (const CLI::App* sub : subs) names.push_back(sub->get_name());
    command = subs[core::parse_name("command", word, names)];
  }
  return *command;
}

void run_help(const HelpCommand& command) {
  if (command.man && !command.words.empty()) {
    throw UsageError("--man writes the page of all commands; leave out '" +
                     command.words.front() + "'");
  }
  help_output() << (command.man
                        ? man_page(*command.app)
                        : help_text(command_of(*command.app, command.words),
                                    help_style()));
}

}  // namespace

void add_help(CLI::App& app) {
  auto command = std::make_shared<HelpCommand>();
  command->app = &app;
  CLI::App& sub = *app.add_subcommand(
      "help", "Show the help of a command, or write the manual page");
  sub.add_option("COMMAND", command->words,
                 "command, and a command of it: data info");
  sub.add_flag("--man", command->man, "write the manual page ognn(1)");
  sub.footer(
      "Examples:\n"
      "  ognn help train\n"
      "  ognn help data info\n"
      "  ognn help --man > ognn.1");
  call_on(sub, command, run_help);
}

}  // namespace ordered_gnn::cli
