#include "scale/features.h"

#include "scale/engines/gloo.h"
#include "scale/engines/nccl.h"
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

std::vector<std::string> engines() {
  std::vector<std::string> names = {"local"};
  if (has_gloo()) names.emplace_back("gloo");
  if (has_nccl()) names.emplace_back("nccl");
  return names;
}

}  // namespace ordered_gnn::scale
