#include "lab/reproduce/experiments/published.h"

#include <cctype>

#include "ordered_gnn/data/registry.h"

namespace ordered_gnn::lab {
namespace {

std::string plain_letters(const std::string& text) {
  std::string out;
  for (const unsigned char c : text) {
    if (std::isalnum(c)) out += static_cast<char>(std::tolower(c));
  }
  return out;
}

}  // namespace

std::optional<PublishedValue> published_for(const RunOptions& options,
                                            const std::string& table,
                                            const std::string& system,
                                            const std::string& column) {
  if (find_named_dataset(options.data.data) == nullptr) return std::nullopt;
  return published_value(table, system, column);
}

std::string system_label(const std::string& model, const std::string& table) {
  const auto is_model = [&](const std::string& system) {
    return plain_letters(system) == plain_letters(model);
  };
  for (const std::string& system : published_systems(table)) {
    if (is_model(system)) return system;
  }
  for (const PublishedEntry& entry : published_values()) {
    if (is_model(entry.system)) return entry.system;
  }
  return model;
}

}  // namespace ordered_gnn::lab
