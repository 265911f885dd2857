#include "shared/ensemble.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "lab/runs/run_order.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::cli {
namespace {

std::vector<EnsembleMember> members_of(const LoadedCheckpoint& loaded,
                                       const PredictionOptions& options) {
  std::vector<EnsembleMember> members = {{loaded.trained, options}};
  const bool is_own_split = options.split == loaded.trained.result.split;
  for (const EnsembleMember& other : loaded.others) {
    EnsembleMember member = other;
    member.options.embeddings = options.embeddings;
    member.options.gates = options.gates;
    member.options.execution = options.execution;
    if (!is_own_split) member.options.split = options.split;
    members.push_back(std::move(member));
  }
  return members;
}

Json member_json(const std::string& file, const Trained& trained) {
  return {{"checkpoint", file},
          {"model", trained.options.model},
          {"split", trained.result.split},
          {"seed", trained.result.seed}};
}

}  // namespace

Prediction ask(const LoadedCheckpoint& loaded, const NodeDataset& data,
               const PredictionOptions& options) {
  const NodeDataset ordered = lab::in_run_order(data, options.execution);
  if (loaded.others.empty()) return predict(loaded.trained, ordered, options);
  return predict_together(members_of(loaded, options), ordered);
}

std::string model_text(const LoadedCheckpoint& loaded) {
  std::vector<std::string> names = {loaded.trained.options.model};
  if (loaded.others.empty()) return names[0];
  for (const EnsembleMember& other : loaded.others) {
    const std::string& name = other.trained.options.model;
    if (std::count(names.begin(), names.end(), name) == 0) {
      names.push_back(name);
    }
  }
  return fmt::format("ensemble of {} ({})", loaded.others.size() + 1,
                     fmt::join(names, ", "));
}

Json ensemble_json(const LoadedCheckpoint& loaded) {
  if (loaded.others.empty()) return nullptr;
  // Not of a list of one, which compilers read as a list or as its element.
  Json list = Json::array();
  list.push_back(member_json(loaded.files[0], loaded.trained));
  for (size_t i = 0; i < loaded.others.size(); ++i) {
    list.push_back(member_json(loaded.files[i + 1], loaded.others[i].trained));
  }
  return list;
}

void require_one_split(const LoadedCheckpoint& loaded) {
  const Trained& first = loaded.trained;
  for (size_t i = 0; i < loaded.others.size(); ++i) {
    const Trained& other = loaded.others[i].trained;
    if (other.result.split == first.result.split &&
        other.fingerprint == first.fingerprint) {
      continue;
    }
    throw UsageError(fmt::format(
        "{} was trained on split {} of '{}', the first model on split {} of "
        "'{}': a test node of the one may be a training node of the other; "
        "give checkpoints of one split, or --data of nodes that none has seen",
        loaded.files[i + 1], other.result.split, other.dataset,
        first.result.split, first.dataset));
  }
}

}  // namespace ordered_gnn::cli
