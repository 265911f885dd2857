#include "ordered_gnn/nn/models.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "core/names.h"
#include "nn/parameters.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn {
namespace {

// " (gat, unimp)".
std::string bracketed(const std::vector<std::string>& models) {
  return fmt::format(" ({})", fmt::join(models, ", "));
}

// The models whose entry has such a function.
std::string models_with(std::string (*ModelEntry::*why)(const ModelOptions&)) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) {
    if (entry.*why != nullptr) names.push_back(entry.name);
  }
  return core::listed(names);
}

}  // namespace

bool ModelEntry::reads_option(const std::string& option) const {
  return std::find(reads.begin(), reads.end(), option) != reads.end();
}

std::vector<std::string> model_names() {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) names.push_back(entry.name);
  return names;
}

const ModelEntry& find_model(const std::string& name) {
  for (const ModelEntry& entry : model_table()) {
    if (entry.name == name) return entry;
  }
  throw UsageError(core::unknown_name_message("model", name, model_names()));
}

std::string readers_text(const std::string& option) {
  // Meanings in the order of the models that come first.
  std::vector<std::pair<std::string, std::vector<std::string>>> readers;
  for (const ModelEntry& entry : model_table()) {
    if (!entry.reads_option(option)) continue;
    const auto found = entry.meanings.find(option);
    const std::string meaning =
        found == entry.meanings.end() ? "" : found->second;
    auto group =
        std::find_if(readers.begin(), readers.end(),
                     [&](const auto& known) { return known.first == meaning; });
    if (group == readers.end()) group = readers.insert(group, {meaning, {}});
    group->second.push_back(entry.name);
  }
  std::string text;
  for (const auto& [meaning, models] : readers) {
    if (!meaning.empty()) text += (text.empty() ? ": " : ", ") + meaning;
    text += bracketed(models);
  }
  return text;
}

std::string why_no_bf16(const std::string& name, const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  if (entry.why_no_bf16 != nullptr) return entry.why_no_bf16(options);
  return fmt::format("is for {}, not for {}",
                     models_with(&ModelEntry::why_no_bf16), name);
}

std::string why_no_weights(const std::string& name,
                           const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  if (entry.why_no_weights == nullptr) {
    return fmt::format("{} reads no edge weights; {} do", name,
                       models_with(&ModelEntry::why_no_weights));
  }
  const std::string reason = entry.why_no_weights(options);
  return reason.empty() ? "" : name + " " + reason;
}

std::string why_no_parts(const std::string& name, const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  if (entry.why_no_parts == nullptr) {
    return fmt::format("{} does not run over parts of a graph; {} do", name,
                       models_with(&ModelEntry::why_no_parts));
  }
  const std::string reason = entry.why_no_parts(options);
  return reason.empty() ? "" : name + ' ' + reason;
}

bool is_per_node(const std::string& name, const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  return entry.has_node_parameters != nullptr &&
         entry.has_node_parameters(options);
}

void check_model_options(const std::string& name, const ModelOptions& options) {
  const ModelEntry& entry = find_model(name);
  for (const auto& row : model_option_table()) {
    check_option(row.spec, row.get(options));
  }
  if (entry.check != nullptr) entry.check(options);
}

std::shared_ptr<NodeModel> create_model(const std::string& name,
                                        const ModelShape& shape,
                                        const ModelOptions& options,
                                        int64_t seed) {
  check_model_options(name, options);
  return find_model(name).make(shape, options, seed);
}

std::shared_ptr<const ModelPreparation> prepare_model(
    const std::string& name, const ModelOptions& options,
    const NodeDataset& data, const PreparationOptions& preparation) {
  const nn::ShapesOnly no_memory;
  const ModelShape shape{data.features.num_features(), data.num_classes,
                         data.features.kind(), data.num_nodes()};
  return create_model(name, shape, options, /*seed=*/0)
      ->prepare(data, preparation);
}

}  // namespace ordered_gnn
