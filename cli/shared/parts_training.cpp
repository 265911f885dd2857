#include "shared/parts_training.h"

#include <fmt/format.h>
#include <torch/cuda.h>
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "core/names.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/memory.h"
#include "ordered_gnn/core/parallel.h"
#include "scale/engines/gloo.h"
#include "scale/engines/nccl.h"
#include "scale/ranks/local_run.h"
#include "scale/ranks/process_run.h"
#include "shared/command_line.h"
#include "shared/parts_spill.h"
#include "shared/speech.h"
#include "train/batch_choice.h"
#include "train/batch_order.h"

namespace ordered_gnn::cli {
namespace {

// Another rank was lost; the number of the C library for a failure that may go
// away by itself (EX_TEMPFAIL).
constexpr int kExitLost = 75;
constexpr int kExitFailedRank = 1;

const std::vector<std::string> kEngines = {"auto", "local", "gloo", "nccl"};

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
                                const scale::RankOfRun& rank,
                                const scale::SpillOptions* spill) {
  scale::ProcessTask task{
      input.folder, input.manifest,          input.options, rank,
      {},           how.arguments.interface, nullptr,       1};
  task.threads = scale::threads_of_rank(input.options, rank.on_machine);
  task.wire = scale::parse_wire(how.arguments.wire);
  task.spill = spill;
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

  // A process has one limit of memory: with it all parts take turns there, as
  // those of one rank, and the result is the same.
  int64_t with_limit() const { return engine == "local" ? 1 : size; }

  // The GPU of this rank on this machine, where it has one of its own.
  int64_t gpu() const { return launched ? launched->index_here : 0; }
};

// Ranks of this machine with a GPU each. A launcher may tell a rank its number
// there and not how many there are.
void require_gpus(const Ranks& ranks) {
  const int64_t here =
      ranks.launched ? std::max(ranks.launched->on_machine, ranks.gpu() + 1)
                     : ranks.size;
  const auto gpus = static_cast<int64_t>(torch::cuda::device_count());
  if (here <= gpus) return;
  throw UsageError(fmt::format(
      "--engine nccl: {} ranks on this machine need a GPU each, and it has {}; "
      "start fewer, or let ranks share a GPU by --engine local",
      here, gpus));
}

// Of ranks that compute on GPUs.
std::string gpu_engine(const PartsArguments& arguments, const Ranks& ranks) {
  if (arguments.engine == "gloo") {
    throw UsageError(
        "--engine gloo carries rows between CPUs; with --device cuda use "
        "--engine nccl, a GPU for every rank, or local, one for all");
  }
  const bool is_auto = arguments.engine == "auto" && !ranks.launched;
  if (is_auto &&
      (ranks.size == 1 || !scale::has_nccl() ||
       ranks.size > static_cast<int64_t>(torch::cuda::device_count()))) {
    return "local";
  }
  scale::require_nccl();
  require_gpus(ranks);
  return "nccl";
}

// What is wrong of whatever data.
void require_words(const PartsArguments& arguments) {
  require_spill_words(arguments);
  if (std::find(kEngines.begin(), kEngines.end(), arguments.engine) ==
      kEngines.end()) {
    throw UsageError(
        core::unknown_name_message("engine", arguments.engine, kEngines));
  }
  scale::parse_wire(arguments.wire);
  if (arguments.ranks < 0) {
    throw UsageError(
        fmt::format("--ranks {}: expected 1 or more", arguments.ranks));
  }
}

// How ranks come about of themselves or by who started them.
Ranks ranks_by(const PartsArguments& arguments, Device device) {
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
  if (device == Device::cuda) {
    ranks.engine = gpu_engine(arguments, ranks);
    return ranks;
  }
  if (arguments.engine == "nccl") {
    throw UsageError(
        "--engine nccl carries rows between GPUs; add --device cuda, or use "
        "--engine gloo or local");
  }
  const bool wants_gloo = arguments.engine == "gloo" || ranks.launched;
  if (ranks.size > 1 && (wants_gloo || scale::has_gloo())) {
    ranks.engine = "gloo";
  }
  return ranks;
}

Ranks ranks_of(const PartsArguments& arguments, Device device) {
  require_words(arguments);
  Ranks ranks = ranks_by(arguments, device);
  if (!arguments.interface.empty() && ranks.engine != "gloo") {
    throw UsageError(fmt::format(
        "--interface {} is for ranks that are processes on CPUs (--engine "
        "gloo), and these are of the engine {}; leave it out{}",
        arguments.interface, ranks.engine,
        ranks.engine == "nccl" ? ", and set NCCL_SOCKET_IFNAME" : ""));
  }
  return ranks;
}

// What a training step is of; empty where it is of all parts.
std::string batch_text(const PartsInput& input) {
  const std::string& batch = input.options.train.batch;
  const int64_t most = training::parse_batch(batch).parts;
  if (most == 0) return "";
  const int64_t steps =
      training::batches_per_epoch(input.manifest.num_parts(), most);
  return fmt::format("; {} step{} an epoch, history {}", steps,
                     steps == 1 ? "" : "s",
                     to_string(input.options.train.history));
}

// Where parts are computed; empty on CPUs.
std::string gpu_text(const PartsInput& input, const Ranks& ranks) {
  if (input.options.execution.device == Device::cpu) return "";
  if (ranks.engine == "nccl")
    return "; a GPU for every rank, whole rows travel";
  return ranks.size == 1 ? "; on a GPU" : "; on one GPU, whole rows travel";
}

std::string parts_text(const PartsInput& input, const Ranks& ranks,
                       bool spills) {
  const scale::PartsManifest& manifest = input.manifest;
  const int64_t here = ranks.launched ? ranks.launched->on_machine : ranks.size;
  const int64_t threads = scale::threads_of_rank(input.options, here);
  return fmt::format(
      "{}: {} nodes, {} messages, {} classes in {} parts; {} rank{} of {} "
      "thread{} ({}{}){}",
      manifest.name, manifest.num_nodes, manifest.num_edges,
      manifest.num_classes, manifest.num_parts(), ranks.size,
      ranks.size == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
      ranks.engine,
      spills && ranks.with_limit() < ranks.size
          ? ", in one process whose parts take turns"
          : "",
      gpu_text(input, ranks) + batch_text(input));
}

void train_with(const PartsInput& input, const PartsTraining& how,
                const Ranks& ranks, const scale::SpillOptions* spill,
                const std::function<void(scale::Group&, int64_t)>& body) {
  scale::rank_bounds(input.manifest.bounds, ranks.size);
  if (ranks.engine == "local") {
    scale::run_local(spill != nullptr ? ranks.with_limit() : ranks.size,
                     input.folder, input.manifest, input.options, body,
                     scale::parse_wire(how.arguments.wire));
    return;
  }
  if (ranks.size == 1) {
    const std::unique_ptr<scale::Group> alone = scale::make_nccl_group({});
    body(*alone, scale::threads_of_rank(input.options, 1));
    return;
  }
  scale::RankOfRun rank;
  rank.size = rank.on_machine = ranks.size;
  if (ranks.launched) rank = *ranks.launched;
  scale::ProcessTask task = process_task(input, how, rank, spill);
  if (!ranks.launched) task.spawn = command_words();
  scale::run_first_rank(
      task, [&](scale::Group& group) { body(group, task.threads); });
}

// Ranks that somebody else has started refuse a limit together, when they have
// met: nobody waits for one that does not come.
void prepare_spill(const PartsInput& input, const PartsTraining& how,
                   const Ranks& ranks, const scale::SpillOptions& spill) {
  scale::rank_bounds(input.manifest.bounds, ranks.size);
  const int64_t processes = ranks.with_limit();
  if (!ranks.launched) {
    require_spill(input.manifest, input.options, spill, processes);
  }
  if (!how.quiet) {
    announce_spill(input.manifest, input.options, spill, processes);
  }
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
                  "what carries rows between ranks: gloo (processes), nccl "
                  "(processes with a GPU each), local (threads of this "
                  "process) or auto")
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
                  "limit of the memory of every process, such as 16GiB (so of "
                  "each rank with gloo, of all together with local): rows that "
                  "do not fit are kept on a disk; the result does not depend "
                  "on it")
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
  require_words(arguments);
  if (scale::is_parts_folder(options.data.data)) {
    const Ranks ranks = ranks_of(arguments, options.execution.device);
    scale::require_batch_ranks(options, ranks.size,
                               scale::parse_wire(arguments.wire),
                               !arguments.memory.empty());
    return true;
  }
  require_no_ranks(arguments);
  return false;
}

void require_no_ranks(const PartsArguments& arguments) {
  require_words(arguments);
  if (arguments.ranks <= 1 && arguments.engine == "auto" &&
      arguments.interface.empty() && arguments.wire == "fp32" &&
      arguments.memory.empty() && arguments.spill.empty()) {
    return;
  }
  throw UsageError(
      "--ranks, --engine, --interface, --wire, --memory and --spill are for "
      "the parts of a graph; make some with 'ognn partition' and give their "
      "folder as --data");
}

std::string parts_name(const RunOptions& options) {
  return scale::read_manifest(options.data.data).name;
}

bool served_as_rank(const RunOptions& options, const PartsTraining& how) {
  const Ranks ranks = ranks_of(how.arguments, options.execution.device);
  if (!ranks.launched || ranks.launched->rank == 0) return false;
  const PartsInput input = read_input(options, how);
  scale::rank_bounds(input.manifest.bounds, ranks.size);
  const std::optional<scale::SpillOptions> spill =
      spill_options(how, input.options.execution.device);
  scale::run_other_rank(
      process_task(input, how, *ranks.launched, spill ? &*spill : nullptr));
  return true;
}

void work_over_parts(const RunOptions& options, const PartsTraining& how,
                     const scale::ScoredNodes& scored,
                     const std::function<void(scale::PartsRun& run)>& body) {
  const Ranks ranks = ranks_of(how.arguments, options.execution.device);
  const PartsInput input = read_input(options, how);
  const std::optional<scale::SpillOptions> spilled =
      spill_options(how, input.options.execution.device);
  const scale::SpillOptions* const spill = spilled ? &*spilled : nullptr;
  if (!how.quiet) say(parts_text(input, ranks, spill != nullptr));
  if (spill != nullptr) prepare_spill(input, how, ranks, *spill);
  train_with(
      input, how, ranks, spill, [&](scale::Group& group, int64_t threads) {
        scale::PartsRun run(
            {group, input.folder, input.manifest, input.options, threads,
             scale::parse_wire(how.arguments.wire), spill, ranks.gpu()},
            scored);
        body(run);
        if (spill != nullptr && !how.quiet) {
          say(spilled_text(*run.spill_room(), *spill, group.size()));
        }
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
  work_over_parts(options, how, scored, [&](scale::PartsRun& run) {
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
