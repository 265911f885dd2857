#include "core/names.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <numeric>

#include "ordered_gnn/core/error.h"

namespace ordered_gnn::core {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t substitute = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substitute});
    }
  }
  return row[b.size()];
}

}  // namespace

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

std::string nearest_name(std::string_view name,
                         const std::vector<std::string>& known) {
  const std::string wanted = lower_case(name);
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    const size_t distance = edit_distance(wanted, lower_case(candidate));
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best;
}

std::string unknown_name_message(std::string_view kind, std::string_view name,
                                 const std::vector<std::string>& known) {
  const std::string nearest = nearest_name(name, known);
  std::string message = fmt::format("unknown {} '{}'", kind, name);
  if (!nearest.empty()) message += fmt::format("; did you mean '{}'?", nearest);
  message += nearest.empty() ? "; known: " : " Known: ";
  return message + fmt::format("{}", fmt::join(known, ", "));
}

std::string listed(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    const bool last = i + 1 == names.size();
    text += i == 0 ? "" : last ? " and " : ", ";
    text += names[i];
  }
  return text;
}

size_t parse_name(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& known) {
  const auto found = std::find(known.begin(), known.end(), name);
  if (found == known.end()) {
    throw UsageError(unknown_name_message(kind, name, known));
  }
  return static_cast<size_t>(found - known.begin());
}

}  // namespace ordered_gnn::core
