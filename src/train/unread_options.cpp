#include "train/unread_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/affixes.h"
#include "ordered_gnn/nn/models.h"

namespace ordered_gnn::training {
namespace {

bool has_readers(const std::string& name) {
  const std::vector<ModelEntry>& models = model_table();
  return std::any_of(
      models.begin(), models.end(),
      [&](const ModelEntry& entry) { return entry.reads_option(name); });
}

// "--layers, --hidden and --chunk".
std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 < names.size() ? ", " : " and ";
    text += "--" + names[i];
  }
  return text;
}

// How a model leaves an option unread that it has in its defaults: it always is
// that. Options of training may stand there for any model.
std::string fixed_value(const ModelEntry& entry, const std::string& name) {
  const std::vector<std::string> of_model = option_names(model_option_table());
  if (std::count(of_model.begin(), of_model.end(), name) == 0) return "";
  const auto found = entry.defaults.find(name);
  if (found == entry.defaults.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

std::string reason_of_model(const ModelEntry& entry, const std::string& name) {
  const std::string fixed = fixed_value(entry, name);
  if (!fixed.empty()) {
    return fmt::format(
        "{} does not read {{}}, which always is {} there; ordered_gnn does",
        entry.name, fixed);
  }
  return fmt::format("{} does not read {{}}; it reads {}", entry.name,
                     listed(entry.reads));
}

// Why the run does not read the option, {} standing for it and for others with
// the same reason; empty when it does.
std::string reason_unread(const RunOptions& options, const std::string& name) {
  if (core::starts_with(name, "cs-") && !options.correct_smooth.enabled) {
    return "without --correct-smooth there is no use for {}";
  }
  if (!has_readers(name)) return "";  // every model does
  const ModelEntry& entry = find_model(options.model);
  if (!entry.reads_option(name)) return reason_of_model(entry, name);
  if (options.model == "ordered_gnn" &&
      options.network.gating == Gating::none &&
      (name == "chunk" || name == "tied-gates")) {
    return "with --gating none there are no gates for {}";
  }
  if (options.model == "jknet" && name == "aggregator" &&
      options.network.convolution == ConvolutionKind::gcn) {
    return "jknet reads {} with --convolution sage only";
  }
  return "";
}

}  // namespace

bool reads_option(const RunOptions& options, const std::string& name) {
  return reason_unread(options, name).empty();
}

std::vector<std::string> unread_options(const RunOptions& options,
                                        const std::vector<std::string>& given) {
  std::map<std::string, std::vector<std::string>> by_reason;
  for (const std::string& name : given) {
    const std::string reason = reason_unread(options, name);
    if (!reason.empty()) by_reason[reason].push_back(name);
  }
  std::vector<std::string> sentences;
  for (const auto& [reason, names] : by_reason) {
    sentences.push_back(fmt::format(fmt::runtime(reason), listed(names)));
  }
  return sentences;
}

}  // namespace ordered_gnn::training
