#pragma once

namespace ordered_gnn::lab {

/// Of all threads of this process until now.
double cpu_seconds();

}  // namespace ordered_gnn::lab
