#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace ordered_gnn::cli {

/// The manual page ognn(1) in roff, made from the commands themselves; options
/// that many commands share are described once.
std::string man_page(const CLI::App& app);

}  // namespace ordered_gnn::cli
