#include <CLI/CLI.hpp>
#include <memory>
#include <vector>

#include "commands.h"
#include "core/io/text/text.h"
#include "data/generators/synthetic.h"
#include "fuzz/harness.h"
#include "fuzz/samples.h"
#include "fuzz/targets.h"
#include "ordered_gnn/data/splits.h"
#include "shared/arguments.h"
#include "shared/command_line.h"
#include "shared/lists.h"
#include "shared/node_word.h"

namespace ordered_gnn {

namespace {

constexpr size_t kMostWords = 50;

// A line each, without the zero bytes that no word can have.
std::vector<std::string> words_of(std::string_view input) {
  std::vector<std::string> words = {"ognn"};
  core::FieldCursor cursor(input, '\n');
  for (std::string_view line; words.size() < kMostWords && cursor.next(line);) {
    words.emplace_back(line.substr(0, line.find('\0')));
  }
  return words;
}

// A command looks at its words and stops before it would do anything. Its
// options point into what its own callback owns, which therefore stays.
CLI::App& whole_command() {
  static CLI::App app;
  static const bool is_made = [] {
    cli::add_commands(app);
    app.parse_complete_callback([] { throw CLI::Success(); });
    return true;
  }();
  (void)is_made;
  return app;
}

void parse(CLI::App& app, const std::vector<std::string>& words) {
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  try {
    app.parse(static_cast<int>(arguments.size()), arguments.data());
  } catch (const CLI::Success&) {
    // Also of --help and --version.
  } catch (const CLI::ParseError& error) {
    throw UsageError(error.what());
  }
  cli::refuse_extras(app);
  cli::refuse_extras(cli::parsed_command(app));
}

// The words as options of a run, which is what most commands take.
void read_options(const std::vector<std::string>& words) {
  CLI::App app;
  const cli::RunArguments arguments(
      app, {"Data", "Model", "Training", "Correct & Smooth", "Execution"});
  app.allow_extras();
  app.set_help_flag();
  try {
    parse(app, words);
  } catch (const UsageError&) {
    // Words of a command; options before and behind them count.
  }
  const RunOptions options = run_options_from_layers({arguments.values()});
  validate_values(options);
}

template <typename Read>
void read_word(const Read& read) {
  try {
    read();
  } catch (const UsageError&) {
  }
}

// A word as whatever an option takes that is more than a number or a name.
void read_value(const std::string& word) {
  static const NodeDataset known = fuzz::small_dataset();
  read_word([&] { cli::list_words("--list", word); });
  read_word([&] { cli::list_seeds(word); });
  read_word([&] { cli::find_node(word, known); });
  read_word([&] { data::parse_customers(word); });
  read_word([&] { parse_random_splits(word); });
  read_word([&] { parse_split_list(word, 1000); });
  cli::shell_word(word);
}

}  // namespace

// The words of a command line, one a line. Nothing is run.
void fuzz::try_command_line(std::string_view input) {
  const std::vector<std::string> words = words_of(input);
  for (const std::string& word : words) read_value(word);
  parse(whole_command(), words);
  read_options(words);
}

}  // namespace ordered_gnn
