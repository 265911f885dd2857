#include <cstring>
#include <memory>
#include <optional>

#include "core/io/file.h"
#include "core/io/safetensors/safetensors.h"
#include "data/formats/npz/dataset.h"
#include "lab/compare/comparison.h"
#include "lab/page/run_page.h"
#include "lab/report/page.h"
#include "lab/reproduce/report.h"
#include "lab/runs/recipe.h"
#include "lab/runs/run_splits.h"
#include "lab/serve/change_log.h"
#include "lab/sweep/sweep.h"
#include "mutations/subjects.h"
#include "ordered_gnn/data/registry.h"
#include "ordered_gnn/train/prediction.h"
#include "ordered_gnn/train/train.h"
#include "scale/parts/assign.h"
#include "scale/parts/writer.h"
#include "scale/ranks/rank_parts.h"
#include "scale/ranks/scored_nodes.h"
#include "support/datasets.h"
#include "support/temp_dir.h"
#include "train/model_state.h"

namespace ordered_gnn::mutations {
namespace {

namespace fs = std::filesystem;
using training::TensorMap;

constexpr const char* kCheckpoint = "model.safetensors";

// What the subjects train, loaded when first asked for: after the fork.
class Training {
 public:
  explicit Training(const fs::path& graph) {
    options_.data.data = graph.string();
    options_.train.epochs = 4;
    options_.train.save_seconds = 0;
    options_.execution.threads = 1;
  }

  const RunOptions& options() const { return options_; }

  const NodeDataset& data() {
    if (!data_) data_ = load_dataset(options_.data);
    return *data_;
  }

  // Weights of the run that nobody disturbed.
  const TensorMap& weights() {
    if (weights_.empty()) {
      weights_ = training::named_state(*train(data(), 0, options_).model);
    }
    return weights_;
  }

 private:
  RunOptions options_ = tiny_run();
  std::optional<NodeDataset> data_;
  TensorMap weights_;
};

using SharedTraining = std::shared_ptr<Training>;

bool are_same_bits(const TensorMap& a, const TensorMap& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, tensor] : a) {
    const auto found = b.find(name);
    if (found == b.end() || found->second.sizes() != tensor.sizes() ||
        found->second.dtype() != tensor.dtype()) {
      return false;
    }
    const at::Tensor left = tensor.contiguous();
    const at::Tensor right = found->second.contiguous();
    if (std::memcmp(left.data_ptr(), right.data_ptr(), left.nbytes()) != 0) {
      return false;
    }
  }
  return true;
}

Subject checkpoint_subject(const SharedTraining& run) {
  const auto write = [run](const fs::path& folder) {
    train(run->data(), 0, run->options()).save(folder / kCheckpoint);
  };
  const auto read = [run](const fs::path& folder, const fs::path& intact) {
    const Trained trained = load_trained(folder / kCheckpoint);
    if (!are_same_bits(training::named_state(*trained.model),
                       core::read_safetensors(intact / kCheckpoint).tensors)) {
      return false;
    }
    predict(trained, run->data());
    return true;
  };
  return {"checkpoint", write, read};
}

// A run that was stopped half-way. Whatever is damaged, one that goes on must
// end with the weights it would have had.
Subject state_subject(const SharedTraining& run) {
  struct Stopped {};
  const auto write = [run](const fs::path& folder) {
    TrainHooks hooks;
    hooks.folder = folder / "split-0";
    hooks.on_epoch = [](const EpochReport& report) {
      if (report.epoch == 3) throw Stopped();
    };
    try {
      train(run->data(), 0, run->options(), hooks);
    } catch (const Stopped&) {
    }
  };
  const auto read = [run](const fs::path& folder, const fs::path&) {
    TrainHooks hooks;
    hooks.folder = folder / "split-0";
    hooks.resume = true;
    const Trained trained = train(run->data(), 0, run->options(), hooks);
    return are_same_bits(training::named_state(*trained.model), run->weights());
  };
  return {"state", write, read};
}

lab::SplitsHooks folder_hooks(const fs::path& folder,
                              lab::ExistingOutput existing) {
  lab::SplitsHooks hooks;
  hooks.folder = folder / "run";
  hooks.existing = existing;
  return hooks;
}

void write_run(const SharedTraining& run, const fs::path& folder) {
  lab::run_splits(run->data(), run->options(),
                  folder_hooks(folder, lab::ExistingOutput::refuse));
}

Subject run_subject(const SharedTraining& run) {
  const auto read = [run](const fs::path& folder, const fs::path&) {
    const Json config = lab::folder_fact(folder / "run", "config");
    if (config.is_object()) validate_values(run_options_from_json(config));
    lab::run_splits(run->data(), run->options(),
                    folder_hooks(folder, lab::ExistingOutput::resume));
    return true;
  };
  return {"run", [run](const fs::path& folder) { write_run(run, folder); },
          read};
}

bool read_page(const fs::path& folder) {
  lab::html_page(lab::run_page(folder));
  return true;
}

Subject page_subject(const SharedTraining& run) {
  const auto read = [](const fs::path& folder, const fs::path&) {
    return read_page(folder / "run");
  };
  return {"page", [run](const fs::path& folder) { write_run(run, folder); },
          read};
}

Subject recipe_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "mine.json",
               R"({"base": "all.json", "lr": 0.01, "data": "texas",
                   "// why": "because", "tied-gates": true})");
    write_text(folder / "all.json",
               R"({"layers": 3, "hidden": 64, "epochs": 100})");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    validate_values(
        run_options_from_layers({lab::read_recipe(folder / "mine.json")}));
    return true;
  };
  return {"recipe", write, read};
}

Subject sweep_file_subject() {
  const auto write = [](const fs::path& folder) {
    write_text(folder / "sweep.json",
               R"({"fixed": {"data": "texas", "layers": 2, "epochs": 4},
                   "search": {"lr": {"min": 0.001, "max": 0.1, "scale": "log"},
                              "hidden": [16, 32]},
                   "method": "random", "trials": 4, "seeds": [1, 2]})");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    lab::read_sweep(folder / "sweep.json");
    return true;
  };
  return {"sweep_file", write, read};
}

Subject sweep_subject(const SharedTraining& run) {
  const auto sweep = [run](const fs::path& folder) {
    lab::SweepSpec spec;
    spec.file = "tiny.json";
    spec.base = run->options();
    spec.base.train.epochs = 2;
    spec.space = lab::SearchSpace(Json{{"lr", {0.1, 0.01}}});
    lab::BatchOptions batch;
    batch.execution.threads = 1;
    lab::run_sweep(spec, folder / "sweep", batch);
  };
  const auto read = [sweep](const fs::path& folder, const fs::path&) {
    sweep(folder);
    return read_page(folder / "sweep");
  };
  return {"sweep", sweep, read};
}

Subject comparison_subject(const SharedTraining& run) {
  const auto write = [run](const fs::path& folder) {
    lab::ComparisonOptions options;
    options.models = {"gcn", "mlp"};
    options.values = {{"data", run->options().data.data}, {"epochs", 2}};
    options.seeds = {1};
    options.trials = 0;
    lab::BatchOptions batch;
    batch.execution.threads = 1;
    lab::run_comparison(options, folder / "compared", batch);
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    return read_page(folder / "compared");
  };
  return {"comparison", write, read};
}

Subject results_subject() {
  const auto write = [](const fs::path& folder) {
    for (const char* name : {"depth", "runtime", "table2"}) {
      fs::create_directories(folder / name);
      fs::copy_file(fs::path(ORDERED_GNN_GOLDEN) / name / "results.json",
                    folder / name / "results.json");
    }
    write_text(folder / lab::kReasonsFile,
               R"({"table2": {"GCN": {"*": "why"}},
                   "remarks": {"table2": ["text"]}})");
  };
  const auto read = [](const fs::path& folder, const fs::path&) {
    lab::results_page(lab::read_results(folder), "{}/");
    return read_page(folder);
  };
  return {"results", write, read};
}

// The log of a server: a cut may cost the last changes, nothing may change one.
Subject change_log_subject() {
  const auto records_in = [](const fs::path& folder) {
    const fs::path file = folder / "changes.log";
    return lab::parse_log(core::read_file(file), file.string()).records;
  };
  return {"change_log",
          [](const fs::path& folder) {
            std::string text = lab::log_start({7, "base", {{"name", "g"}}});
            for (int64_t i = 8; i < 20; ++i) {
              text += lab::encoded(
                  {i, "{\"remove_nodes\": [" + std::to_string(i) + "]}"});
            }
            core::write_file(folder / "changes.log", text);
          },
          [records_in](const fs::path& folder, const fs::path& intact) {
            const auto read = records_in(folder), whole = records_in(intact);
            if (read.size() > whole.size()) return false;
            for (size_t i = 0; i < read.size(); ++i) {
              if (read[i].sequence != whole[i].sequence ||
                  read[i].body != whole[i].body) {
                return false;
              }
            }
            return true;
          }};
}

// A folder of parts, every file of which has a checksum.
Subject parts_subject(const SharedTraining& run) {
  const auto write = [run](const fs::path& folder) {
    const scale::Assignment assignment =
        scale::assign_parts(run->data(), 3, "stream");
    scale::write_parts(run->data(), assignment, 3, "stream", folder / "g.parts",
                       /*replace=*/false);
  };
  const auto read = [](const fs::path& folder, const fs::path& intact) {
    const fs::path parts = folder / "g.parts";
    const scale::PartsManifest manifest = scale::read_manifest(parts);
    scale::read_scored_nodes(parts, manifest);
    for (int64_t part = 0; part < manifest.num_parts(); ++part) {
      scale::local_lists(scale::read_part(parts, manifest, part));
    }
    return scale::parts_fingerprint(manifest) ==
           scale::parts_fingerprint(scale::read_manifest(intact / "g.parts"));
  };
  return {"parts", write, read};
}

}  // namespace

void write_graph(const fs::path& file) {
  data::write_npz_dataset(file, resolve_dataset(tiny_run().data));
}

std::vector<Subject> run_subjects(const fs::path& graph) {
  const auto run = std::make_shared<Training>(graph);
  return {
      checkpoint_subject(run), state_subject(run),      run_subject(run),
      page_subject(run),       recipe_subject(),        sweep_file_subject(),
      sweep_subject(run),      comparison_subject(run), results_subject(),
      change_log_subject(),    parts_subject(run)};
}

}  // namespace ordered_gnn::mutations
