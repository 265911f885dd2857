#include "shared/raw_csv.h"

#include <fmt/format.h>

#include "shared/arguments.h"

namespace ordered_gnn::cli {

void add_raw_csv_option(CLI::App& command, bool& raw) {
  command.add_flag("--raw-csv", raw,
                   "write names in CSV exactly as they are; without it those "
                   "that begin with = + - @, and are no numbers, get an "
                   "apostrophe in front, for a spreadsheet would run them");
}

void tell_of_guards(int64_t count) {
  if (count == 0) return;
  tell({fmt::format(
      "{} cell{} that a spreadsheet would run as a formula got an apostrophe "
      "in front; --raw-csv writes names as they are, for programs",
      count, count == 1 ? "" : "s")});
}

}  // namespace ordered_gnn::cli
