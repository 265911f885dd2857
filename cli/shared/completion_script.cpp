#include "shared/completion_script.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>

#include "core/affixes.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::cli {
namespace {

struct Command {
  std::string path;  // "data info"
  std::vector<std::string> words;
};

void collect(const CLI::App& app, const std::string& path,
             std::vector<Command>& out) {
  Command command{path, {}};
  for (const CLI::App* sub : app.get_subcommands({})) {
    command.words.push_back(sub->get_name());
  }
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      command.words.push_back("--" + name);
    }
  }
  // 'ognn help' is followed by what 'ognn' is.
  if (path == "help") {
    for (const CLI::App* other : app.get_parent()->get_subcommands({})) {
      command.words.push_back(other->get_name());
    }
  }
  out.push_back(std::move(command));
  for (const CLI::App* sub : app.get_subcommands({})) {
    const std::string name = sub->get_name();
    collect(*sub, path.empty() ? name : fmt::format("{} {}", path, name), out);
  }
}

// Values that follow an option: its choices, or the names of datasets.
std::map<std::string, std::vector<std::string>> option_values() {
  std::map<std::string, std::vector<std::string>> out;
  for (const auto& row : run_option_table()) {
    if (!row.spec.choices.empty()) out[row.spec.name] = row.spec.choices;
  }
  for (const NamedDataset& entry : named_datasets()) {
    out["data"].push_back(entry.name);
  }
  return out;
}

constexpr const char* kFileOptions =
    "--config|--out|--checkpoint|--token-file|--cert|--key|--state|--logits|"
    "--gates|--embeddings|--data-root|--only|--nodes|--edges|--add-nodes|"
    "--add-edges|--split-file|--method|--trace";

std::string bash_script(const std::vector<Command>& commands) {
  std::string out =
      "_ognn() {\n"
      "  local cur=\"${COMP_WORDS[COMP_CWORD]}\"\n"
      "  local prev=\"${COMP_WORDS[COMP_CWORD-1]}\"\n"
      "  local command=\"\" word\n"
      "  for word in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n"
      "    case \"$word\" in -*) break;; esac\n"
      "    command=\"${command:+$command }$word\"\n"
      "  done\n"
      "  case \"$prev\" in\n";
  for (const auto& [name, values] : option_values()) {
    out += fmt::format(
        "    --{}) COMPREPLY=($(compgen -W \"{}\"{} -- \"$cur\")); return;;\n",
        name, fmt::join(values, " "), name == "data" ? " -f" : "");
  }
  out += fmt::format(
      "    {}) COMPREPLY=($(compgen -f -- \"$cur\")); return;;\n"
      "  esac\n"
      "  case \"$command\" in\n",
      kFileOptions);
  for (const Command& command : commands) {
    out += fmt::format(
        "    \"{}\") COMPREPLY=($(compgen -W \"{}\" -- \"$cur\"));;\n",
        command.path, fmt::join(command.words, " "));
  }
  return out + "  esac\n}\ncomplete -o filenames -F _ognn ognn\n";
}

// For a file _ognn on zsh's fpath, and to be sourced.
std::string zsh_script(const std::vector<Command>& commands) {
  std::string out =
      "#compdef ognn\n"
      "_ognn() {\n"
      "  local command=\"\" word\n"
      "  for word in \"${(@)words[2,CURRENT-1]}\"; do\n"
      "    case \"$word\" in -*) break;; esac\n"
      "    command=\"${command:+$command }$word\"\n"
      "  done\n"
      "  case \"${words[CURRENT-1]}\" in\n";
  for (const auto& [name, values] : option_values()) {
    out +=
        fmt::format("    --{}) compadd -- {}{}; return;;\n", name,
                    fmt::join(values, " "), name == "data" ? "; _files" : "");
  }
  out += fmt::format(
      "    {}) _files; return;;\n"
      "  esac\n"
      "  case \"$command\" in\n",
      kFileOptions);
  for (const Command& command : commands) {
    out += fmt::format("    \"{}\") compadd -- {};;\n", command.path,
                       fmt::join(command.words, " "));
  }
  return out +
         "  esac\n}\n"
         "if [ \"$funcstack[1]\" = _ognn ]; then\n"
         "  _ognn \"$@\"\n"
         "else\n"
         "  compdef _ognn ognn\n"
         "fi\n";
}

std::string fish_script(const std::vector<Command>& commands) {
  std::string out = "complete -c ognn -f\n";
  const auto values = option_values();
  for (const Command& command : commands) {
    const std::string condition =
        command.path.empty()
            ? "__fish_use_subcommand"
            : fmt::format("__fish_seen_subcommand_from {}",
                          command.path.substr(command.path.rfind(' ') + 1));
    for (const std::string& word : command.words) {
      std::string_view option = word;
      if (!core::take_prefix(option, "--")) {
        out += fmt::format("complete -c ognn -n '{}' -a {}\n", condition, word);
        continue;
      }
      const auto found = values.find(std::string(option));
      out += fmt::format("complete -c ognn -n '{}' -l {}", condition, option);
      if (found != values.end()) {
        out += fmt::format(" -x -a '{}'", fmt::join(found->second, " "));
      }
      out += "\n";
    }
  }
  return out;
}

}  // namespace

const std::vector<std::string>& completion_shells() {
  static const std::vector<std::string> shells = {"bash", "zsh", "fish"};
  return shells;
}

std::string completion_script(const CLI::App& app, const std::string& shell) {
  std::vector<Command> commands;
  collect(app, "", commands);
  if (shell == "fish") return fish_script(commands);
  return shell == "zsh" ? zsh_script(commands) : bash_script(commands);
}

}  // namespace ordered_gnn::cli
