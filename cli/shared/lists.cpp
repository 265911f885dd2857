#include "shared/lists.h"

#include <fmt/format.h>

#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/train/run_options.h"

namespace ordered_gnn::cli {

std::vector<std::string> list_words(const std::string& option,
                                    const std::string& text) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (const std::string_view place : core::split_fields(text, ',')) {
    const std::string_view word = core::trimmed(place);
    if (word.empty()) {
      throw UsageError(fmt::format(
          "{} takes a list with commas, without empty places, not '{}'", option,
          text));
    }
    words.emplace_back(word);
  }
  return words;
}

std::vector<int64_t> list_seeds(const std::string& text) {
  std::vector<int64_t> seeds;
  for (const Option<RunOptions>& row : run_option_table()) {
    if (row.spec.name != "seed") continue;
    for (const std::string& word : list_words("--seeds", text)) {
      seeds.push_back(parse_option(row.spec, word).get<int64_t>());
    }
  }
  return seeds;
}

}  // namespace ordered_gnn::cli
