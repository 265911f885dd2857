#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "lab/runs/run_batch.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::cli {

/// Command-line options made from rows of the one options table.
///
/// Values are collected as words and applied on top of a recipe, so that the
/// command line wins whatever the order.
class RunArguments {
 public:
  /// Adds the rows whose group is in `groups` to the subcommand, except those
  /// named in `without`.
  RunArguments(CLI::App& command, const std::vector<std::string>& groups,
               const std::vector<std::string>& without = {});

  /// The options given on the command line, by name.
  /// @throws UsageError naming the option and what it takes.
  Json values() const;

  /// Sets them. Throws as values() does.
  void apply(RunOptions& options) const;

  /// True when the option was given on the command line.
  bool given(const std::string& name) const;

  /// Names of the options given on the command line.
  std::vector<std::string> given_names() const;

 private:
  struct Entry {
    const Option<RunOptions>* row;
    CLI::Option* option;
    std::unique_ptr<std::string> word;
  };
  std::vector<Entry> entries_;
};

/// How a command prints. All commands take these two, so that a script need
/// not know which do; their help differs.
struct OutputFlags {
  bool json = false;
  bool quiet = false;
};
void add_output_flags(CLI::App& command, OutputFlags& flags,
                      const std::string& json_help,
                      const std::string& quiet_help);

/// Help of --quiet of commands that show progress.
inline constexpr const char* kNoProgress = "no progress on standard error";
/// Help of --quiet of commands that print a result and nothing else.
inline constexpr const char* kOnlyTheResult =
    "nothing but the result, which is all there is here";

/// From `least` to `most`, both included.
struct WholeNumbers {
  int64_t least, most;
};
/// Adds an option that takes one of them and no other.
CLI::Option* add_number(CLI::App& command, const char* name, int64_t& target,
                        WholeNumbers allowed, const char* help);

/// Says something that is no progress on standard error, to the quiet too.
void tell(const std::vector<std::string>& sentences);

/// Tells of options given on the command line that a run with these options
/// does not read.
void warn_unread(const RunArguments& arguments, const RunOptions& options);

/// How commands of many runs execute them: by these options, recording the
/// present command line.
/// @param stop  ends them; may be null.
lab::BatchOptions batch_options(const RunOptions& options, bool retry_failed,
                                lab::StopRequest* stop);

/// Adds --max-memory to a command that has no other option of execution.
void add_max_memory(CLI::App& command);

/// Lets the process take what --max-memory says, where it was given.
/// @throws UsageError when it is no size, Error when that is in use already.
void use_max_memory(const CLI::App& command);
/// The same for a size from elsewhere; 0: what is free.
void use_max_memory(int64_t bytes);

/// Refuses words that CLI11 did not understand.
/// @throws UsageError with the nearest option name.
void refuse_extras(const CLI::App& command);

/// Lets the subcommand run `run` on the options it has filled, in the memory
/// that it may take; words that it does not know are refused before.
template <typename Command, typename Run>
void call_on(CLI::App& sub, const std::shared_ptr<Command>& command, Run run) {
  sub.allow_extras();
  sub.callback([command, run, &sub] {
    refuse_extras(sub);
    use_max_memory(sub);
    run(*command);
  });
}

/// Finds the innermost subcommand that was parsed.
const CLI::App& parsed_command(const CLI::App& app);

/// The words that name a subcommand: "ognn data info".
std::string full_name(const CLI::App& command);

}  // namespace ordered_gnn::cli
