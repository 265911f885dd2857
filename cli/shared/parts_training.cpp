#include "shared/parts_training.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "scale/batches/batch_order.h"
#include "scale/engines/gloo.h"
#include "scale/ranks/local_run.h"
#include "scale/ranks/process_run.h"
#include "shared/command_line.h"
#include "shared/parts_spill.h"
#include "shared/speech.h"
#include "train/batch_choice.h"

namespace ordered_gnn::cli {
namespace {

// Another rank was lost; the number of the C library for a failure that may go
// away by itself (EX_TEMPFAIL).
constexpr int kExitLost = 75;
constexpr int kExitFailedRank = 1;

const std::vector<std::string> kEngines = {"auto", "local", "gloo"};

/// Folder, manifest and options as all ranks need them.
struct PartsInput {
  std::filesystem::path folder;
  scale::PartsManifest manifest;
  RunOptions options;
};

PartsInput read_input(const RunOptions& options, const PartsTraining& how) {
  PartsInput input;
  input.folder = options.data.data;
  input.manifest = scale::read_manifest(input.folder);
  input.options = options;
  scale::require_parts_options(options, input.manifest);
  scale::take_treatment(input.manifest, how.said, input.options);
  return input;
}

std::string way_on(const std::string& out) {
  return out.empty() ? "nothing was kept, for there is no --out"
                     : fmt::format(
                           "go on from the last saved state with 'ognn train "
                           "--out {} --resume' and any number of --ranks",
                           shell_word(out));
}

scale::ProcessTask process_task(const PartsInput& input,
                                const PartsTraining& how,
                                const scale::RankOfRun& rank) {
  scale::ProcessTask task{
      input.folder, input.manifest,          input.options, rank,
      {},           how.arguments.interface, nullptr,       1};
  task.threads = scale::threads_of_rank(input.options, rank.on_machine);
  task.wire = scale::parse_wire(how.arguments.wire);
  task.on_lost = [out = how.out](const scale::LostRank& lost) {
    say_as_ognn(Ink::error, fmt::format("{}; {}", lost.message,
                                        lost.failed_itself ? "all ranks end"
                                                           : way_on(out)));
    ::_exit(lost.failed_itself ? kExitFailedRank : kExitLost);
  };
  return task;
}

// How the ranks of this run come about.
struct Ranks {
  int64_t size = 1;
  std::string engine = "local";
  std::optional<scale::RankOfRun> launched;  ///< by mpirun, srun or torchrun
};

Ranks ranks_of(const PartsArguments& arguments) {
  Ranks ranks;
  ranks.size = std::max<int64_t>(arguments.ranks, 1);
  if (arguments.engine == "local") return ranks;
  ranks.launched = scale::launched_rank();
  if (ranks.launched) {
    ranks.size = ranks.launched->size;
    if (arguments.ranks > 0 && arguments.ranks != ranks.size) {
      throw UsageError(fmt::format(
          "--ranks {}: {} ranks were started; leave it out, or give --engine "
          "local to ignore the variables of mpirun, srun and torchrun",
          arguments.ranks, ranks.size));
    }
  }
  const bool wants_gloo = arguments.engine == "gloo" || ranks.launched;
  if (ranks.size > 1 && (wants_gloo || scale::has_gloo())) {
    ranks.engine = "gloo";
  }
  return ranks;
}

// What a training step is of; empty where it is of all parts.
std::string batch_text(const PartsInput& input) {
  const std::string& batch = input.options.train.batch;
  const int64_t most = training::parse_batch(batch).parts;
  if (most == 0) return "";
  const int64_t steps =
      scale::batches_per_epoch(input.manifest.num_parts(), most);
  return fmt::format("; {} step{} an epoch, history {}", steps,
                     steps == 1 ? "" : "s",
                     to_string(input.options.train.history));
}

std::string parts_text(const PartsInput& input, const Ranks& ranks) {
  const scale::PartsManifest& manifest = input.manifest;
  const int64_t here = ranks.launched ? ranks.launched->on_machine : ranks.size;
  const int64_t threads = scale::threads_of_rank(input.options, here);
  return fmt::format(
      "{}: {} nodes, {} messages, {} classes in {} parts; {} rank{} of {} "
      "thread{} ({}){}",
      manifest.name, manifest.num_nodes, manifest.num_edges,
      manifest.num_classes, manifest.num_parts(), ranks.size,
      ranks.size == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
      ranks.engine, batch_text(input));
}

void train_with(const PartsInput& input, const PartsTraining& how,
                const Ranks& ranks,
                const std::function<void(scale::Group&, int64_t)>& body) {
  scale::rank_bounds(input.manifest.bounds, ranks.size);
  if (ranks.engine == "local") {
    scale::run_local(ranks.size, input.folder, input.manifest, input.options,
                     body, scale::parse_wire(how.arguments.wire));
    return;
  }
  scale::RankOfRun rank;
  rank.size = rank.on_machine = ranks.size;
  if (ranks.launched) rank = *ranks.launched;
  scale::ProcessTask task = process_task(input, how, rank);
  if (!ranks.launched) task.spawn = command_words();
  scale::run_first_rank(
      task, [&](scale::Group& group) { body(group, task.threads); });
}

}  // namespace

void add_parts_options(CLI::App& command, PartsArguments& arguments) {
  command
      .add_option("--ranks", arguments.ranks,
                  "ranks that share the parts of --data g.parts; the result "
                  "does not depend on it (default: 1, or those that mpirun, "
                  "srun or torchrun started)")
      ->type_name("W")
      ->group("Parts");
  command
      .add_option("--engine", arguments.engine,
                  "what carries rows between ranks: gloo (processes), local "
                  "(threads of this process) or auto")
      ->type_name("NAME")
      ->capture_default_str()
      ->group("Parts");
  command
      .add_option("--interface", arguments.interface,
                  "network interface between ranks, such as eth0")
      ->type_name("NAME")
      ->group("Parts");
  command
      .add_option("--wire", arguments.wire,
                  "rows between parts: fp32, or bf16, rounded for half of the "
                  "bytes; another result, which does not depend on --ranks "
                  "either")
      ->type_name("fp32|bf16")
      ->capture_default_str()
      ->group("Parts");
  command
      .add_option("--memory", arguments.memory,
                  "limit of the memory of the process, such as 16GiB: rows "
                  "that do not fit are kept on a disk; the result does not "
                  "depend on it")
      ->type_name("SIZE")
      ->group("Parts");
  command
      .add_option("--spill", arguments.spill,
                  "folder for rows that do not fit into --memory (default: "
                  "that of --out, or the system's for temporary files)")
      ->type_name("DIR")
      ->group("Parts");
}

bool trains_over_parts(const RunOptions& options,
                       const PartsArguments& arguments) {
  require_spill_words(arguments);
  if (std::find(kEngines.begin(), kEngines.end(), arguments.engine) ==
      kEngines.end()) {
    throw UsageError(
        core::unknown_name_message("engine", arguments.engine, kEngines));
  }
  const scale::Wire wire = scale::parse_wire(arguments.wire);
  if (arguments.ranks < 0) {
    throw UsageError(
        fmt::format("--ranks {}: expected 1 or more", arguments.ranks));
  }
  if (scale::is_parts_folder(options.data.data)) {
    scale::require_batch_ranks(options, ranks_of(arguments).size, wire,
                               !arguments.memory.empty());
    return true;
  }
  require_no_ranks(arguments);
  return false;
}

void require_no_ranks(const PartsArguments& arguments) {
  if (arguments.ranks <= 1 && arguments.engine == "auto" &&
      arguments.wire == "fp32" && arguments.memory.empty() &&
      arguments.spill.empty()) {
    return;
  }
  throw UsageError(
      "--ranks, --engine, --wire, --memory and --spill are for the parts of a "
      "graph; make some with 'ognn partition' and give their folder as --data");
}

std::string parts_name(const RunOptions& options) {
  return scale::read_manifest(options.data.data).name;
}

bool served_as_rank(const RunOptions& options, const PartsTraining& how) {
  const Ranks ranks = ranks_of(how.arguments);
  if (!ranks.launched || ranks.launched->rank == 0) return false;
  const PartsInput input = read_input(options, how);
  scale::rank_bounds(input.manifest.bounds, ranks.size);
  scale::run_other_rank(process_task(input, how, *ranks.launched));
  return true;
}

void work_over_parts(const RunOptions& options, const PartsTraining& how,
                     const scale::ScoredNodes& scored,
                     const std::function<void(scale::PartsRun& run)>& body) {
  const Ranks ranks = ranks_of(how.arguments);
  const PartsInput input = read_input(options, how);
  const std::optional<scale::SpillOptions> spill =
      spill_options(how, ranks.size);
  if (!how.quiet) say(parts_text(input, ranks));
  if (spill) announce_spill(input.manifest, input.options, *spill, how.quiet);
  train_with(input, how, ranks, [&](scale::Group& group, int64_t threads) {
    scale::PartsRun run(
        {group, input.folder, input.manifest, input.options, threads,
         scale::parse_wire(how.arguments.wire), spill ? &*spill : nullptr},
        scored);
    body(run);
    if (spill && !how.quiet) say(spilled_text(*run.spill_room(), *spill));
    if (how.quiet || group.size() == 1) return;
    const scale::WireCount count = run.wire_count();
    say(fmt::format("rows between ranks: {} on the wire, {} expected",
                    bytes_text(count.bytes),
                    bytes_text(static_cast<int64_t>(count.expected))));
  });
}

lab::RunSummary train_parts(const RunOptions& given, const PartsTraining& how,
                            const lab::SplitsHooks& hooks) {
  const PartsInput input = read_input(given, how);
  const RunOptions& options = input.options;
  const scale::ScoredNodes scored = scale::read_scored_nodes(
      input.folder, input.manifest, scale::parse_wire(how.arguments.wire));
  lab::RunSummary summary;
  PartsTraining training = how;
  training.trains = true;
  work_over_parts(options, training, scored, [&](scale::PartsRun& run) {
    lab::SplitsHooks all = hooks;
    all.train = [&run](int64_t split, const RunOptions& of_split,
                       const TrainHooks& of_run) {
      return run.train(split, of_split, of_run).result;
    };
    summary = lab::run_splits(scored.data, options, all);
  });
  return summary;
}

}  // namespace ordered_gnn::cli
