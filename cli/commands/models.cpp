#include "ordered_gnn/nn/models.h"

#include <CLI/CLI.hpp>
#include <iostream>
#include <memory>

#include "commands.h"
#include "shared/arguments.h"
#include "shared/models_page.h"

namespace ordered_gnn::cli {

namespace {

std::string defaults_text(const Json& defaults) {
  std::string text;
  for (const auto& [name, value] : defaults.items()) {
    text += fmt::format(" --{} {}", name, value_text(value));
  }
  return text;
}

std::string models_json() {
  Json list = Json::array();
  for (const ModelEntry& entry : model_table()) {
    list.push_back({{"name", entry.name},
                    {"summary", entry.summary},
                    {"paper", entry.paper},
                    {"reads", entry.reads},
                    {"defaults", entry.defaults}});
  }
  return list.dump(2) + "\n";
}

std::string models_text() {
  std::string text;
  for (const ModelEntry& entry : model_table()) {
    text += fmt::format("{:<12}  {}\n", entry.name, entry.summary);
    if (!entry.defaults.empty()) {
      text += fmt::format("{:<12} {}\n", "", defaults_text(entry.defaults));
    }
  }
  return text;
}

}  // namespace

void add_models(CLI::App& app) {
  struct Forms {
    bool json = false, markdown = false, quiet = false;
  };
  auto forms = std::make_shared<Forms>();
  CLI::App& sub = *app.add_subcommand(
      "models", "List the models and what they change in the defaults");
  sub.allow_extras();
  CLI::Option* const json =
      sub.add_flag("--json", forms->json, "print an array of objects");
  sub.add_flag("--markdown", forms->markdown,
               "print the page docs/models.md: papers, options, defaults")
      ->excludes(json);
  sub.add_flag("--quiet", forms->quiet, kOnlyTheResult);
  sub.footer(
      "Options given in a recipe or on the command line win over the defaults "
      "of a model.\nExamples:\n  ognn models --json\n"
      "  ognn models --markdown > models.md");
  sub.callback([forms, &sub] {
    refuse_extras(sub);
    std::cout << (forms->json       ? models_json()
                  : forms->markdown ? models_page()
                                    : models_text());
  });
}

}  // namespace ordered_gnn::cli
