#include "train/run_folder.h"

#include <sstream>

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/json_numbers.h"
#include "core/io/json_reader.h"
#include "core/io/safetensors/metadata_json.h"
#include "core/io/safetensors/safetensors.h"
#include "core/io/temporary_file.h"
#include "ordered_gnn/core/error.h"
#include "train/file_format.h"

namespace ordered_gnn::training {
namespace {

const FileFormat& state_format() {
  static const FileFormat format{"ordered_gnn training state 1",
                                 "ordered_gnn training state 2"};
  return format;
}

void add_group(const std::string& prefix,
               const std::map<std::string, at::Tensor>& group,
               core::TensorFile& content) {
  for (const auto& [name, tensor] : group) {
    content.tensors[prefix + name] = tensor;
  }
}

std::map<std::string, at::Tensor> take_group(const std::string& prefix,
                                             const core::TensorFile& content) {
  std::map<std::string, at::Tensor> group;
  for (const auto& [name, tensor] : content.tensors) {
    std::string_view rest = name;
    if (core::take_prefix(rest, prefix)) group[std::string(rest)] = tensor;
  }
  return group;
}

Json metrics_line(const EpochReport& report) {
  return {{"epoch", report.epoch},
          {"loss", report.loss},
          {"lr", report.lr},
          {"train_accuracy", report.train.accuracy},
          {"val_accuracy", report.val.accuracy},
          {"test_accuracy", report.test.accuracy},
          {"val_macro_f1", report.val.macro_f1},
          {"best_epoch", report.best_epoch}};
}

// Lines of a metrics file that belong to epochs up to `epoch`.
struct KeptLines {
  std::string text;
  int64_t num_damaged = 0;  ///< left out, with others behind them
};

KeptLines kept_lines(const std::filesystem::path& file, int64_t epoch) {
  KeptLines kept;
  if (!std::filesystem::exists(file)) return kept;
  int64_t damaged = 0;
  // Not by a stream: it would take an error of the disk for the end.
  std::istringstream in(core::read_file(file));
  for (std::string line; std::getline(in, line);) {
    const std::optional<Json> entry = core::parse_json_or_nothing(line);
    if (!entry || !entry->is_object() ||
        !core::is_whole_number(entry->value("epoch", Json()))) {
      ++damaged;
      continue;
    }
    if (core::whole_number(*entry, "epoch") > epoch) break;
    kept.text += line + "\n";
    kept.num_damaged = damaged;
  }
  return kept;
}

// Numbers that no run has would make one that goes on end at once, or never.
void read_progress(const Json& json, int64_t epochs, TrainingState& state) {
  state.epoch = core::whole_number(json, "epoch", 0, epochs);
  state.best_epoch = core::whole_number(json, "best_epoch", 0, state.epoch);
  state.best_train = scores_from_json(json.at("best_train"));
  state.best_val = scores_from_json(json.at("best_val"));
  state.best_test = scores_from_json(json.at("best_test"));
  state.seconds = core::real_number(json, "seconds", 0);
}

void require_state_of(const core::TensorFile& content,
                      const std::string& config,
                      const std::filesystem::path& file) {
  for (const char* key : {"format", "config", "progress"}) {
    if (content.metadata.count(key) > 0) continue;
    fail_in(file, "is no training state of this program");
  }
  state_format().require(content, file);
  if (content.metadata.at("config") != config) {
    fail_in(file,
            "was saved by a run with other settings; resume with the same "
            "options or start in another folder");
  }
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, const Json& config)
    : path_(std::move(path)), config_(config.dump()) {
  if (!active()) return;
  std::error_code status;
  std::filesystem::create_directories(path_, status);
  if (status) fail_in(path_, "cannot create the folder: " + status.message());
  core::remove_leftovers(path_);
}

std::filesystem::path RunFolder::checkpoint_file() const {
  return active() ? path_ / "model.safetensors" : std::filesystem::path();
}

std::optional<RunResult> RunFolder::finished() const {
  const std::filesystem::path file = path_ / "result.json";
  if (!active() || !std::filesystem::exists(file)) return std::nullopt;
  try {
    return core::reading(
        file, [&] { return run_result_from_json(core::read_json(file)); });
  } catch (const Error& error) {
    fail("{}; delete the file to repeat the run", error.what());
  }
}

std::optional<TrainingState> RunFolder::load(int64_t epochs) const {
  const std::filesystem::path file = path_ / "state.safetensors";
  if (!active() || !std::filesystem::exists(file)) return std::nullopt;
  const core::TensorFile content = core::read_safetensors(file);
  require_state_of(content, config_, file);
  TrainingState state;
  const Json progress = core::metadata_json(content, "progress", file);
  core::reading(file, "metadata 'progress'",
                [&] { read_progress(progress, epochs, state); });
  if (content.metadata.count("class_names") > 0) {
    const Json names = core::metadata_json(content, "class_names", file);
    core::reading(file, "metadata 'class_names'", [&] {
      state.class_names = names.get<std::vector<std::string>>();
    });
  }
  state.model = take_group("model.", content);
  state.average = take_group("average.", content);
  state.best = take_group("best.", content);
  state.moments = take_group("adam.", content);
  require_finite(state.model, file);
  require_finite(state.average, file);
  require_finite(state.best, file);
  state.is_verified = content.is_verified;
  return state;
}

int64_t RunFolder::open_metrics(int64_t epoch) {
  if (!active()) return 0;
  const std::filesystem::path file = path_ / "metrics.jsonl";
  const KeptLines kept = kept_lines(file, epoch);
  core::write_file(file, kept.text);
  metrics_.open(file, std::ios::app);
  if (!metrics_) fail_in(file, "cannot be opened for appending");
  return kept.num_damaged;
}

void RunFolder::add_metrics(const EpochReport& report) {
  if (!active()) return;
  metrics_ << metrics_line(report).dump() << '\n' << std::flush;
  if (!metrics_) {
    fail_in(path_ / "metrics.jsonl",
            "cannot be written, the disk may be full; free some space and go "
            "on with --resume");
  }
}

void RunFolder::save_state(const TrainingState& state) const {
  if (!active()) return;
  core::TensorFile content;
  add_group("model.", state.model, content);
  add_group("average.", state.average, content);
  add_group("best.", state.best, content);
  add_group("adam.", state.moments, content);
  content.metadata["format"] = state_format().now;
  content.metadata["config"] = config_;
  content.metadata["progress"] = Json{
      {"epoch", state.epoch},
      {"best_epoch", state.best_epoch},
      {"best_train", to_json(state.best_train)},
      {"best_val", to_json(state.best_val)},
      {"best_test", to_json(state.best_test)},
      {"seconds", state.seconds}}.dump();
  if (state.class_names) {
    content.metadata["class_names"] = Json(*state.class_names).dump();
  }
  core::write_safetensors(path_ / "state.safetensors", content);
}

void RunFolder::finish(const RunResult& result) const {
  if (!active()) return;
  core::write_file(path_ / "result.json", to_json(result).dump(2) + "\n");
  std::error_code ignored;
  std::filesystem::remove(path_ / "state.safetensors", ignored);
}

}  // namespace ordered_gnn::training
