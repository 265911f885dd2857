#include "scale/features.h"

#include "scale/engines/gloo.h"
#include "scale/parts/assign.h"

namespace ordered_gnn::scale {

std::vector<std::string> missing_features() {
  std::vector<std::string> missing;
  if (!has_metis()) {
    missing.emplace_back(
        "METIS: 'ognn partition' cuts graphs by --method stream or a file");
  }
  if (!has_gloo()) {
    missing.emplace_back(
        "Gloo: ranks are threads of one process (--engine local)");
  }
  return missing;
}

}  // namespace ordered_gnn::scale
