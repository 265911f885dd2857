#include "shared/arguments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "core/affixes.h"
#include "core/names.h"
#include "data/split_file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/memory_budget.h"
#include "shared/command_line.h"
#include "shared/speech.h"
#include "train/unread_options.h"

namespace ordered_gnn::cli {
namespace {

constexpr const char* kListName = "LIST";  // what help calls a list's value
constexpr const char* kSizeName = "SIZE";
constexpr const char* kMaxMemory = "max-memory";

bool is_in(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::string placeholder(const OptionSpec& spec) {
  if (!spec.choices.empty() && spec.choices.size() <= 6) {
    return fmt::format("{}", fmt::join(spec.choices, "|"));
  }
  if (spec.name == "splits") return kListName;
  if (spec.name == kMaxMemory) return kSizeName;
  switch (spec.kind) {
    case OptionKind::flag:
      return "";
    case OptionKind::integer:
      return "INT";
    case OptionKind::real:
      return "NUM";
    case OptionKind::text:
      break;
  }
  return "TEXT";
}

std::vector<const CLI::Option*> given_lists(const CLI::App& command) {
  std::vector<const CLI::Option*> lists;
  for (const CLI::Option* option : command.get_options()) {
    const bool is_list = core::starts_with(option->get_type_name(), kListName);
    if (is_list && option->count() > 0) lists.push_back(option);
  }
  return lists;
}

// "; lists are written with commas: --models gcn,mlp" for a word that may be
// meant for a list.
std::string list_hint(const CLI::App& command, const std::string& word) {
  const std::vector<const CLI::Option*> lists = given_lists(command);
  if (lists.empty() || core::starts_with(word, "-")) return "";
  const CLI::Option& option = *lists.front();
  const std::string example = lists.size() > 1
                                  ? "a,b,c"
                                  : fmt::format("{} {},{}", option.get_name(),
                                                option.results().back(), word);
  return "; lists are written with commas: " + example;
}

CLI::Option* add_row(CLI::App& command, const Option<RunOptions>& row,
                     std::string& word) {
  const OptionSpec& spec = row.spec;
  CLI::Option* const option =
      command.add_option("--" + spec.name, word, spec.help);
  option->group(spec.group);
  static const RunOptions defaults;
  const std::string shown = value_text(row.get(defaults));
  if (spec.kind == OptionKind::flag) {
    // "--tied-gates" alone means true; "--tied-gates=false" takes it back.
    option->expected(0, 1)->default_str("true")->type_name(
        fmt::format("true|false [{}]", shown));
  } else {
    option->take_last()->type_name(placeholder(spec));
    if (!shown.empty()) {
      option->type_name(fmt::format("{} [{}]", placeholder(spec), shown));
    }
  }
  return option;
}

}  // namespace

RunArguments::RunArguments(CLI::App& command,
                           const std::vector<std::string>& groups,
                           const std::vector<std::string>& without) {
  for (const Option<RunOptions>& row : run_option_table()) {
    if (!is_in(groups, row.spec.group) || is_in(without, row.spec.name)) {
      continue;
    }
    Entry entry;
    entry.row = &row;
    entry.word = std::make_unique<std::string>();
    entry.option = add_row(command, row, *entry.word);
    entries_.push_back(std::move(entry));
  }
}

Json RunArguments::values() const {
  Json values = Json::object();
  for (const Entry& entry : entries_) {
    if (entry.option->count() == 0) continue;
    const bool bare_flag = entry.row->spec.kind == OptionKind::flag &&
                           (entry.word->empty() || *entry.word == "{}");
    const std::string word = bare_flag ? "true" : *entry.word;
    values[entry.row->spec.name] = parse_option(entry.row->spec, word);
  }
  data::check_split_choice(values);
  return values;
}

void RunArguments::apply(RunOptions& options) const {
  apply_json(run_option_table(), values(), options);
}

bool RunArguments::given(const std::string& name) const {
  for (const Entry& entry : entries_) {
    if (entry.row->spec.name == name) return entry.option->count() > 0;
  }
  return false;
}

std::vector<std::string> RunArguments::given_names() const {
  std::vector<std::string> names;
  for (const Entry& entry : entries_) {
    if (entry.option->count() > 0) names.push_back(entry.row->spec.name);
  }
  return names;
}

void add_output_flags(CLI::App& command, OutputFlags& flags,
                      const std::string& json_help,
                      const std::string& quiet_help) {
  command.add_flag("--json", flags.json, json_help);
  command.add_flag("--quiet", flags.quiet, quiet_help);
}

void tell(const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    say_as_ognn(Ink::warning, sentence);
  }
}

void warn_unread(const RunArguments& arguments, const RunOptions& options) {
  tell(training::unread_options(options, arguments.given_names()));
}

lab::BatchOptions batch_options(const RunOptions& options, bool retry_failed,
                                lab::StopRequest* stop) {
  lab::BatchOptions batch;
  batch.execution = options.execution;
  batch.retry_failed = retry_failed;
  batch.command = command_line();
  batch.stop = stop;
  return batch;
}

CLI::Option* add_number(CLI::App& command, const char* name, int64_t& target,
                        WholeNumbers allowed, const char* help) {
  return command.add_option(name, target, help)
      ->type_name("INT")
      ->check(CLI::Range(allowed.least, allowed.most));
}

void add_max_memory(CLI::App& command) {
  const Option<ExecutionOptions>& row =
      find_option(execution_option_table(), "option", kMaxMemory);
  command.add_option(fmt::format("--{}", kMaxMemory), row.spec.help)
      ->group(row.spec.group)
      ->type_name(kSizeName);
}

void use_max_memory(const CLI::App& command) {
  const CLI::Option* const option =
      command.get_option_no_throw(fmt::format("--{}", kMaxMemory));
  if (option == nullptr || option->count() == 0) return;
  use_max_memory(parse_memory_size(option->results().back()));
}

void use_max_memory(int64_t bytes) {
  const int64_t used = resident_memory_bytes();
  if (bytes > 0 && bytes < used) {
    fail("--max-memory {} is less than the {} that the program itself takes",
         bytes_text(bytes), bytes_text(used));
  }
  set_max_memory(bytes);
}

void refuse_extras(const CLI::App& command) {
  const std::vector<std::string> extras = command.remaining();
  if (extras.empty()) return;
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      known.push_back("--" + name);
    }
  }
  for (const CLI::App* sub : command.get_subcommands({})) {
    known.push_back(sub->get_name());
  }
  const std::string word = extras.front().substr(0, extras.front().find('='));
  const std::string hint = list_hint(command, word);
  const std::string nearest = core::nearest_name(word, known);
  std::string message =
      fmt::format("unknown {} '{}'",
                  core::starts_with(word, "-") ? "option" : "word", word);
  if (!hint.empty()) {
    message += hint;
  } else if (!nearest.empty()) {
    message += fmt::format("; did you mean '{}'?", nearest);
  }
  throw UsageError(message);
}

const CLI::App& parsed_command(const CLI::App& app) {
  const CLI::App* current = &app;
  while (!current->get_subcommands().empty()) {
    current = current->get_subcommands().front();
  }
  return *current;
}

std::string full_name(const CLI::App& command) {
  const CLI::App* const parent = command.get_parent();
  return parent == nullptr ? command.get_name()
                           : full_name(*parent) + " " + command.get_name();
}

}  // namespace ordered_gnn::cli
