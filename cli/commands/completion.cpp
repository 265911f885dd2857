#include <CLI/CLI.hpp>
#include <algorithm>
#include <iostream>
#include <memory>

#include "commands.h"
#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "shared/arguments.h"
#include "shared/completion_script.h"

namespace ordered_gnn::cli {

void add_completion(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App& sub = *app.add_subcommand(
      "completion", "Print a script that completes ognn in a shell");
  sub.allow_extras();
  sub.add_option("SHELL", *shell, "bash, zsh or fish");
  sub.footer(
      "Examples:\n"
      "  source <(ognn completion bash)\n"
      "  ognn completion zsh > ~/.zfunc/_ognn\n"
      "  ognn completion fish > ~/.config/fish/completions/ognn.fish");
  sub.callback([shell, &sub, &app] {
    refuse_extras(sub);
    if (shell->empty()) {
      throw UsageError("no shell given: bash, zsh or fish");
    }
    core::parse_name("shell", *shell, completion_shells());
    std::cout << completion_script(app, *shell);
  });
}

}  // namespace ordered_gnn::cli
