#pragma once
#include <string_view>

namespace ordered_gnn::lab {

/// The content of src/report/page/NAME, which is part of the library. There
/// must be such a file.
std::string_view page_asset(std::string_view name);

}  // namespace ordered_gnn::lab
