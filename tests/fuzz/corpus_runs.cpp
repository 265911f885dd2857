#include <vector>

#include "core/io/file.h"
#include "data/tables/column_json.h"
#include "fuzz/corpus.h"
#include "fuzz/parts.h"
#include "fuzz/samples.h"
#include "lab/compare/comparison.h"
#include "lab/reproduce/plan.h"
#include "lab/reproduce/result.h"
#include "lab/runs/run_splits.h"
#include "lab/sweep/sweep.h"
#include "ordered_gnn/data/registry.h"
#include "scale/parts/writer.h"

namespace fs = std::filesystem;
namespace ordered_gnn {
using namespace fuzz;

namespace {

Json small_recipe() {
  return {{"data",
           "synthetic:csbm?nodes=30&classes=2&features=4&degree=3&signal=2"
           "&seed=1&splits=2"},
          {"model", "gcn"},
          {"layers", 2},
          {"hidden", 4},
          {"epochs", 2},
          {"splits", "all"}};
}

// Times and sizes are others at every run; seeds are always the same.
void settle(Json& json) {
  for (const auto& [key, value] : json.items()) {
    const bool is_measured = key.find("seconds") != std::string::npos ||
                             key.find("bytes") != std::string::npos;
    if (is_measured && value.is_number()) value = 2;
    if (key == "finished") value = "2024-05-31T09:30:00Z";
    if (value.is_structured()) settle(value);
  }
}

// Settled, and without blanks, so that more of them fits into a seed.
std::string settled(std::string_view text) {
  Json json = Json::parse(text);
  settle(json);
  return json.dump();
}

std::string settled_lines(std::string_view text) {
  std::string out;
  for (size_t end = 0; (end = text.find('\n')) != std::string_view::npos;
       text.remove_prefix(end + 1)) {
    out += settled(text.substr(0, end)) + "\n";
  }
  return out;
}

std::string settled_file(const fs::path& file) {
  const std::string text = core::read_file(file);
  return file.extension() == ".jsonl" ? settled_lines(text) : settled(text);
}

void write_seed(const fs::path& file, const fs::path& folder,
                const std::vector<std::string>& names) {
  std::vector<std::string> texts;
  for (const std::string& name : names) {
    texts.push_back(settled_file(folder / name));
  }
  std::vector<Part> parts;
  for (size_t i = 0; i < names.size(); ++i) {
    parts.push_back({names[i], texts[i]});
  }
  const std::string seed = join_parts(parts);
  if (seed.size() > kMostSeedBytes) {
    throw std::runtime_error(file.string() + ": the seed is too long");
  }
  core::write_file(file, seed);
}

void write_metadata_seed(const fs::path& file, const core::TensorFile& content,
                         Part beside = {}) {
  std::vector<Part> parts;
  for (const auto& [name, text] : content.metadata) {
    parts.push_back({name, text});
  }
  if (!beside.name.empty()) parts.push_back(std::move(beside));
  core::write_file(file, join_parts(parts));
}

void write_checkpoint_seeds(const fs::path& out) {
  core::TensorFile checkpoint = small_checkpoint();
  write_metadata_seed(seed_of(out, "checkpoint", "plain"), checkpoint);
  std::vector<Column> columns(3);
  for (size_t i = 0; i < columns.size(); ++i) {
    columns[i].name = std::string(1, static_cast<char>('a' + i));
  }
  checkpoint.metadata["columns"] = data::columns_json(columns).dump();
  checkpoint.metadata["data_path"] =
      R"({"absolute": "/data/graph", "relative": "../graph"})";
  write_metadata_seed(seed_of(out, "checkpoint", "columns"), checkpoint);
  core::TensorFile state = small_state();
  state.metadata["progress"] = settled(state.metadata["progress"]);
  write_metadata_seed(
      seed_of(out, "training_state", "stopped"), state,
      {"metrics.jsonl", "{\"epoch\":1,\"loss\":0.5}\n{\"epoch\":2"});
}

void write_train_seeds(const fs::path& out, const fs::path& scratch) {
  RunOptions options = run_options_from_json(small_recipe());
  lab::SplitsHooks hooks;
  hooks.folder = scratch;
  hooks.command = "ognn train";
  lab::run_splits(lab::load_for_training(options), options, hooks);
  write_seed(seed_of(out, "run_folder", "two_splits"), scratch,
             {"run.json", "summary.json", "split-0/metrics.jsonl",
              "split-0/result.json", "split-1/metrics.jsonl"});
  core::remove_tree(scratch);
}

void write_sweep_seeds(const fs::path& out, const fs::path& scratch) {
  lab::SweepSpec spec;
  spec.file = "sweep.json";
  spec.base = run_options_from_json(small_recipe());
  spec.space =
      lab::SearchSpace({{"lr", {0.01, 0.1}}, {"aggregator", {"mean", "gcn"}}});
  lab::run_sweep(spec, scratch, {});
  write_seed(seed_of(out, "sweep_folder", "grid"), scratch,
             {"sweep.json", "parallel.json", "best.json"});
  // Records are long: of all runs the first few.
  std::string records = settled_file(scratch / "runs.jsonl");
  records.resize(records.rfind('\n', kMostSeedBytes / 2) + 1);
  core::write_file(seed_of(out, "run_log", "runs"),
                   join_parts({{"runs.jsonl", records}}));
  core::remove_tree(scratch);
}

void write_comparison_seeds(const fs::path& out, const fs::path& scratch) {
  lab::ComparisonOptions options;
  options.models = {"gcn", "mlp"};
  options.values = small_recipe();
  options.values.erase("model");
  options.values.erase("splits");
  options.trials = 0;
  lab::run_comparison(options, scratch, {});
  // Its numbers are measured: bytes by the key of a run.
  core::write_file(scratch / "memory.json", R"({"0a": 1000, "1b": 0})");
  write_seed(seed_of(out, "comparison", "two"), scratch,
             {"compare.json", "memory.json"});
  core::remove_tree(scratch);
}

// Of a few nodes, with dense features and with sparse ones.
void write_parts_seeds(const fs::path& out, const fs::path& scratch) {
  for (const std::string kind : {"dense", "sparse"}) {
    const NodeDataset data = load_dataset(
        "synthetic:csbm?nodes=9&classes=2&features=3&degree=3&seed=1&splits=1" +
        std::string(kind == "sparse" ? "&sparse=true" : ""));
    scale::write_parts(data, {0, 1, 0, 1, 0, 1, 0, 1, 0}, 2, "sample", scratch,
                       /*replace=*/true);
    const std::string seed = pack_folder(scratch);
    if (seed.size() > kMostSeedBytes) {
      throw std::runtime_error("parts_folder: the seed is too long");
    }
    core::write_file(seed_of(out, "parts_folder", kind), seed);
    core::remove_tree(scratch);
  }
}

void shorten(Json& list, size_t most) {
  while (list.is_array() && list.size() > most) list.erase(list.size() - 1);
}

// The results that the repository holds, of each the first few numbers.
void write_result_seeds(const fs::path& out) {
  const fs::path folder = ORDERED_GNN_RESULTS;
  for (const std::string& name : lab::experiment_names()) {
    const fs::path file = folder / name / "results.json";
    if (!fs::exists(file)) continue;
    lab::ExperimentResult result =
        lab::experiment_result_from_json(Json::parse(core::read_file(file)));
    if (result.cells.size() > 4) result.cells.resize(4);
    for (lab::CellResult& cell : result.cells) {
      if (cell.runs.size() > 3) cell.runs.resize(3);
    }
    if (result.notes.size() > 2) result.notes.resize(2);
    if (result.made_by.size() > 2) result.made_by.resize(2);
    shorten(result.gates, 1);
    for (Json& model : result.gates) {
      shorten(model["layers"], 2);
      for (Json& layer : model["layers"]) shorten(layer["boxes"], 3);
    }
    const std::string text = lab::to_json(result).dump();
    core::write_file(
        seed_of(out, "results", name),
        join_parts(
            {{name + "/results.json", text},
             {"reasons.json",
              R"({"remarks": {"table2": ["text"]}, "table2": {"a": {"*": "b"}}})"}}));
  }
}

}  // namespace

void fuzz::write_run_seeds(const fs::path& out, const fs::path& scratch) {
  write_checkpoint_seeds(out);
  write_train_seeds(out, scratch);
  write_sweep_seeds(out, scratch);
  write_comparison_seeds(out, scratch);
  write_parts_seeds(out, scratch);
  write_result_seeds(out);
}

}  // namespace ordered_gnn
