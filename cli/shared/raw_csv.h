#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>

namespace ordered_gnn::cli {

/// Adds --raw-csv, for commands that write names of the data as CSV; see
/// core::FormulaText.
void add_raw_csv_option(CLI::App& command, bool& raw);

/// Says on standard error that cells were changed and how to have them as they
/// are; nothing for 0.
void tell_of_guards(int64_t count);

}  // namespace ordered_gnn::cli
