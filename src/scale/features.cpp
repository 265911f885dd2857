#include "scale/features.h"

#include "scale/parts/assign.h"

namespace ordered_gnn::scale {

std::vector<std::string> missing_features() {
  std::vector<std::string> missing;
  if (!has_metis()) {
    missing.emplace_back(
        "METIS: 'ognn partition' cuts graphs by --method stream or a file");
  }
  return missing;
}

}  // namespace ordered_gnn::scale
