#pragma once
#include <CLI/CLI.hpp>

namespace ordered_gnn::cli {

/// `ognn bench new-nodes`; see commands.h.
void add_new_nodes_bench(CLI::App& bench);
/// `ognn bench scale`.
void add_scale_bench(CLI::App& bench);

}  // namespace ordered_gnn::cli
