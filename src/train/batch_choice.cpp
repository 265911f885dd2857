#include "train/batch_choice.h"

#include <charconv>
#include <optional>
#include <string_view>

#include "core/affixes.h"
#include "core/io/text/text.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {

namespace {

// Far more neighbours or training nodes than a batch can be meant to have.
constexpr int64_t kMostOfBatch = int64_t{1} << 24;

// A number of at least 1; nothing: it is none.
std::optional<int64_t> positive_number(std::string_view word) {
  int64_t value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, status] = std::from_chars(word.data(), end, value);
  if (status != std::errc() || stop != end || value < 1) return std::nullopt;
  return value;
}

// Or "all", which is 0.
std::optional<int64_t> drawn_count(std::string_view word) {
  if (word == "all") return 0;
  const std::optional<int64_t> count = positive_number(word);
  return count && *count < kMostOfBatch ? count : std::nullopt;
}

// "512:10,5".
std::optional<BatchChoice> neighbors_choice(std::string_view text) {
  const size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  BatchChoice choice;
  const std::optional<int64_t> seeds = drawn_count(text.substr(0, colon));
  if (!seeds) return std::nullopt;
  choice.seeds = *seeds;
  for (const std::string_view word :
       core::split_fields(text.substr(colon + 1), ',')) {
    const std::optional<int64_t> most = drawn_count(word);
    if (!most) return std::nullopt;
    choice.fanout.push_back(*most);
  }
  return choice;
}

}  // namespace

BatchChoice parse_batch(const std::string& text) {
  if (text == "whole") return {};
  std::string_view rest = text;
  if (core::take_prefix(rest, "parts:")) {
    if (const auto parts = positive_number(rest)) return {*parts, 0, {}};
  } else if (core::take_prefix(rest, "neighbors:")) {
    if (const auto choice = neighbors_choice(rest)) return *choice;
  }
  throw UsageError(fmt::format(
      "option 'batch' takes whole, parts:N with N of at least 1, as in "
      "parts:4, "
      "or neighbors:S:F1,F2 with training nodes of a step and neighbours of "
      "every layer, each a number or all, as in neighbors:512:10,10, got '{}'",
      text));
}

void require_no_part_batches(const std::string& text) {
  if (!parse_batch(text).in_parts()) return;
  throw UsageError(fmt::format(
      "--batch {}: these batches are of parts of a graph; make some with 'ognn "
      "partition' and give their folder as --data",
      text));
}

}  // namespace ordered_gnn::training
