#include "train/run_folder.h"

#include "core/affixes.h"
#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {
namespace {

constexpr const char* kStateFormat = "ordered_gnn training state 1";

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

// Complete lines of a metrics file that belong to epochs up to `epoch`.
std::string kept_lines(const std::filesystem::path& file, int64_t epoch) {
  std::string kept;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    const Json entry = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (!entry.is_object() || !entry.value("epoch", Json()).is_number()) break;
    if (entry["epoch"].get<int64_t>() > epoch) break;
    kept += line + "\n";
  }
  return kept;
}

}  // namespace

RunFolder::RunFolder(std::filesystem::path path, const Json& config)
    : path_(std::move(path)), config_(config.dump()) {
  if (!active()) return;
  std::error_code status;
  std::filesystem::create_directories(path_, status);
  if (status) fail_in(path_, "cannot create the folder: " + status.message());
}

std::filesystem::path RunFolder::checkpoint_file() const {
  return active() ? path_ / "model.safetensors" : std::filesystem::path();
}

std::optional<RunResult> RunFolder::finished() const {
  const std::filesystem::path file = path_ / "result.json";
  if (!active() || !std::filesystem::exists(file)) return std::nullopt;
  try {
    return run_result_from_json(Json::parse(core::read_file(file)));
  } catch (const Json::exception& error) {
    fail_in(file, fmt::format("damaged result ({}); delete the file to repeat "
                              "the run",
                              error.what()));
  }
}

std::optional<TrainingState> RunFolder::load() const {
  const std::filesystem::path file = path_ / "state.safetensors";
  if (!active() || !std::filesystem::exists(file)) return std::nullopt;
  const core::TensorFile content = core::read_safetensors(file);
  try {
    if (content.metadata.at("format") != kStateFormat) {
      fail_in(file, "is no training state of this version");
    }
    if (content.metadata.at("config") != config_) {
      fail_in(file,
              "was saved by a run with other settings; resume with the same "
              "options or start in another folder");
    }
    const Json progress = Json::parse(content.metadata.at("progress"));
    TrainingState state;
    state.epoch = progress.at("epoch").get<int64_t>();
    state.best_epoch = progress.at("best_epoch").get<int64_t>();
    state.best_train = scores_from_json(progress.at("best_train"));
    state.best_val = scores_from_json(progress.at("best_val"));
    state.best_test = scores_from_json(progress.at("best_test"));
    state.seconds = progress.at("seconds").get<double>();
    const auto names = content.metadata.find("class_names");
    if (names != content.metadata.end()) {
      state.class_names =
          Json::parse(names->second).get<std::vector<std::string>>();
    }
    state.model = take_group("model.", content);
    state.best = take_group("best.", content);
    state.moments = take_group("adam.", content);
    return state;
  } catch (const Json::exception& error) {
    fail_in(file, fmt::format("damaged training state: {}", error.what()));
  } catch (const std::out_of_range&) {
    fail_in(file, "is no training state of this program");
  }
}

void RunFolder::open_metrics(int64_t epoch) {
  if (!active()) return;
  const std::filesystem::path file = path_ / "metrics.jsonl";
  core::write_file(file, kept_lines(file, epoch));
  metrics_.open(file, std::ios::app);
  if (!metrics_) fail_in(file, "cannot be opened for appending");
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
  add_group("best.", state.best, content);
  add_group("adam.", state.moments, content);
  content.metadata["format"] = kStateFormat;
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
