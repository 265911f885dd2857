#pragma once
#include <string>

namespace ordered_gnn::scale {

/// Of the machine that this process runs on.
std::string host_name();

}  // namespace ordered_gnn::scale
