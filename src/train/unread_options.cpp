#include "train/unread_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "core/affixes.h"
#include "core/names.h"
#include "ordered_gnn/nn/models.h"
#include "train/batch_choice.h"

namespace ordered_gnn::training {
namespace {

// Empty for options that every model reads.
std::vector<std::string> readers_of(const std::string& option) {
  std::vector<std::string> names;
  for (const ModelEntry& entry : model_table()) {
    if (entry.reads_option(option)) names.push_back(entry.name);
  }
  return names;
}

// "--layers, --hidden and --chunk".
std::string flags(std::vector<std::string> names) {
  for (std::string& name : names) name.insert(0, "--");
  return core::listed(names);
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
        "{} does not read {{}}, which always is {} there; {} does", entry.name,
        fixed, core::listed(readers_of(name)));
  }
  return fmt::format("{} does not read {{}}; it reads {}", entry.name,
                     flags(entry.reads));
}

// Why the run does not read the option, {} standing for it and for others with
// the same reason; empty when it does.
std::string reason_unread(const RunOptions& options, const std::string& name) {
  if (core::starts_with(name, "cs-") && !options.correct_smooth.enabled) {
    return "without --correct-smooth there is no use for {}";
  }
  if (name == "history" && !parse_batch(options.train.batch).in_parts()) {
    return "without --batch parts:N there is no use for {}";
  }
  if (readers_of(name).empty()) return "";
  const ModelEntry& entry = find_model(options.model);
  if (!entry.reads_option(name)) return reason_of_model(entry, name);
  return entry.why_unread == nullptr ? ""
                                     : entry.why_unread(options.network, name);
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
    sentences.push_back(fmt::format(fmt::runtime(reason), flags(names)));
  }
  return sentences;
}

}  // namespace ordered_gnn::training
