#include "lab/reproduce/paper.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <sstream>

#include "core/affixes.h"
#include "lab/reproduce/paper_tables.h"

namespace ordered_gnn::lab {
namespace {

// "86.22±4.12", "89.10"; nothing for "-".
std::optional<PublishedValue> published_word(const std::string& word) {
  if (word == "-") return std::nullopt;
  PublishedValue value;
  char* end = nullptr;
  value.mean = std::strtod(word.c_str(), &end);
  std::string_view rest = end;
  if (core::take_prefix(rest, "±")) {
    value.deviation = std::strtod(rest.data(), nullptr);
  }
  return value;
}

std::vector<PublishedEntry> flatten_paper_tables() {
  std::vector<PublishedEntry> entries;
  for (const PaperTable& table : paper_tables()) {
    for (const auto& [system, line] : table.rows) {
      std::istringstream words(line);
      std::string word;
      for (size_t c = 0; words >> word; ++c) {
        std::optional<PublishedValue> value = published_word(word);
        if (!value) continue;
        value->runs = table.runs.at(c);
        entries.push_back({table.name, system, table.columns.at(c), *value});
      }
    }
  }
  return entries;
}

}  // namespace

const std::vector<PublishedEntry>& published_values() {
  static const std::vector<PublishedEntry> entries = flatten_paper_tables();
  return entries;
}

std::optional<PublishedValue> published_value(const std::string& table,
                                              const std::string& system,
                                              const std::string& column) {
  for (const PublishedEntry& entry : published_values()) {
    if (entry.table == table && entry.system == system &&
        entry.column == column) {
      return entry.value;
    }
  }
  return std::nullopt;
}

std::vector<std::string> published_systems(const std::string& table) {
  std::vector<std::string> systems;
  for (const PublishedEntry& entry : published_values()) {
    if (entry.table != table) continue;
    if (std::find(systems.begin(), systems.end(), entry.system) ==
        systems.end()) {
      systems.push_back(entry.system);
    }
  }
  return systems;
}

PublishedComparison compare_published(const Statistics& ours,
                                      const PublishedValue& published) {
  PublishedComparison out;
  out.difference = ours.mean - published.mean;
  const double error = ours.standard_error;
  if (!(error > 0)) return out;
  out.in_standard_errors = out.difference / error;
  out.inside_two_standard_errors = std::fabs(*out.in_standard_errors) <= 2;
  if (published.deviation && published.runs > 1) {
    const double theirs =
        *published.deviation / std::sqrt(static_cast<double>(published.runs));
    out.in_joint_standard_errors = out.difference / std::hypot(error, theirs);
  }
  return out;
}

std::string verdict(const Statistics& ours,
                    const PublishedComparison& comparison) {
  if (!comparison.inside_two_standard_errors) {
    return ours.count < 2 ? "one run, no error known"
                          : "runs all alike, no error known";
  }
  if (*comparison.inside_two_standard_errors) {
    return "inside two standard errors";
  }
  return comparison.difference < 0 ? "outside two standard errors (below)"
                                   : "outside two standard errors (above)";
}

}  // namespace ordered_gnn::lab
