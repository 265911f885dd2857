#include "train/batch_choice.h"

#include <charconv>
#include <string_view>

#include "core/affixes.h"
#include "ordered_gnn/core/error.h"

namespace ordered_gnn::training {

BatchChoice parse_batch(const std::string& text) {
  if (text == "whole") return {};
  std::string_view rest = text;
  if (core::take_prefix(rest, "parts:")) {
    BatchChoice choice;
    const char* const end = rest.data() + rest.size();
    const auto [stop, status] = std::from_chars(rest.data(), end, choice.parts);
    if (status == std::errc() && stop == end && choice.parts > 0) {
      return choice;
    }
  }
  throw UsageError(fmt::format(
      "option 'batch' takes whole or parts:N with N of at least 1, as in "
      "parts:4, got '{}'",
      text));
}

void require_no_batches(const std::string& text) {
  if (!parse_batch(text).in_parts()) return;
  throw UsageError(fmt::format(
      "--batch {}: batches are of parts of a graph; make some with 'ognn "
      "partition' and give their folder as --data",
      text));
}

}  // namespace ordered_gnn::training
