#include "core/io/text/text.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

namespace {

constexpr size_t kMaxLine = 1000;

// Each field goes through both parsers; one that is no number must not keep
// the rest of the file from being read.
void parse_line(std::string_view line, const SourceLine& place) {
  core::FieldCursor cursor(line, ',');
  for (std::string_view field; cursor.next(field);) {
    try {
      core::parse_integer(field, "field", place);
    } catch (const Error&) {
    }
    try {
      core::parse_number(field, "field", place);
    } catch (const Error&) {
    }
  }
}

}  // namespace

void fuzz::try_lines(std::string_view input) {
  core::LineReader reader(fuzz::write_input(input, "input.txt"), kMaxLine);
  std::string_view line;
  while (reader.next(line)) parse_line(line, reader.place());
}

}  // namespace ordered_gnn
