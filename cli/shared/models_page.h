#pragma once
#include <string>

namespace ordered_gnn::cli {

/// docs/models.md, made from the table of models: `make docs` writes it.
std::string models_page();

}  // namespace ordered_gnn::cli
