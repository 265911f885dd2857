#include "train/class_weights.h"

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "core/io/text/text.h"
#include "core/names.h"
#include "data/formats/parse_value.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {
namespace {

constexpr double kMostWeight = 1e9;

struct NamedWeight {
  std::string name;
  float weight = 1;
};

[[noreturn]] void fail_weights(const std::string& text,
                               const std::string& why) {
  throw UsageError(fmt::format(
      "--class-weights '{}': {}; expected none, balanced, or classes with "
      "their weights such as churn:5,stay:1",
      text, why));
}

// A name may have a colon of its own: the last one counts.
std::vector<NamedWeight> parse_weights(const std::string& text) {
  std::vector<NamedWeight> weights;
  for (const std::string_view field : core::split_fields(text, ',')) {
    const size_t colon = field.rfind(':');
    if (colon == std::string_view::npos) {
      fail_weights(text, fmt::format("'{}' has no colon", field));
    }
    const std::string_view number = core::trimmed(field.substr(colon + 1));
    const std::optional<double> weight = data::parse_value<double>(number);
    if (!weight || !(*weight > 0) || *weight > kMostWeight) {
      fail_weights(text, fmt::format("'{}' is no weight above 0 and at most "
                                     "{:g}",
                                     number, kMostWeight));
    }
    NamedWeight entry;
    entry.name = core::trimmed(field.substr(0, colon));
    entry.weight = static_cast<float>(*weight);
    if (entry.name.empty()) fail_weights(text, "a class has no name");
    weights.push_back(std::move(entry));
  }
  return weights;
}

// Where no class is called by a number, numbers are the places of classes.
bool are_numbered(const std::vector<std::string>& names) {
  return std::none_of(names.begin(), names.end(), [](const std::string& name) {
    return data::parse_value<int64_t>(core::trimmed(name)).has_value();
  });
}

int64_t class_of(const std::string& name, const NodeDataset& data,
                 const std::string& text) {
  const std::vector<std::string>& names = data.class_names;
  for (size_t c = 0; c < names.size(); ++c) {
    if (core::trimmed(names[c]) == name) return static_cast<int64_t>(c);
  }
  const bool numbered = are_numbered(names);
  const std::optional<int64_t> number = data::parse_value<int64_t>(name);
  if (numbered && number && *number >= 0 && *number < data.num_classes) {
    return *number;
  }
  if (names.empty()) {
    fail_weights(text, fmt::format("there is no class '{}'; classes are 0 to "
                                   "{}",
                                   name, data.num_classes - 1));
  }
  throw UsageError(fmt::format(
      "--class-weights: {}{}", core::unknown_name_message("class", name, names),
      numbered ? fmt::format("; numbers 0 to {} stand for them too",
                             data.num_classes - 1)
               : ""));
}

std::vector<float> named_weights(const std::string& text,
                                 const NodeDataset& data) {
  std::vector<float> weights(static_cast<size_t>(data.num_classes), 1);
  std::vector<bool> given(weights.size());
  for (const NamedWeight& entry : parse_weights(text)) {
    const auto c = static_cast<size_t>(class_of(entry.name, data, text));
    if (given[c]) {
      fail_weights(text, fmt::format("class '{}' is given twice", entry.name));
    }
    given[c] = true;
    weights[c] = entry.weight;
  }
  return weights;
}

std::vector<float> balanced_weights(const NodeDataset& data,
                                    const KnownLabels& known) {
  const at::Tensor labels = known.labels.cpu().contiguous();
  std::vector<int64_t> counts(static_cast<size_t>(data.num_classes));
  for (int64_t i = 0; i < labels.numel(); ++i) {
    ++counts[static_cast<size_t>(labels.data_ptr<int64_t>()[i])];
  }
  const auto present = std::count_if(counts.begin(), counts.end(),
                                     [](int64_t count) { return count > 0; });
  std::vector<float> weights;
  for (const int64_t count : counts) {
    const double even = static_cast<double>(labels.numel()) /
                        (static_cast<double>(present) *
                         static_cast<double>(std::max<int64_t>(1, count)));
    weights.push_back(count > 0 ? static_cast<float>(even) : 1);
  }
  return weights;
}

}  // namespace

void check_class_weights(const std::string& text) {
  if (text != "none" && text != "balanced") parse_weights(text);
}

at::Tensor class_weights(const std::string& text, const NodeDataset& data,
                         const KnownLabels& known) {
  if (text == "none") return {};
  const std::vector<float> weights = text == "balanced"
                                         ? balanced_weights(data, known)
                                         : named_weights(text, data);
  return torch::tensor(weights, at::kFloat).to(known.labels.device());
}

}  // namespace ordered_gnn::training
