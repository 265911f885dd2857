#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_geom_gcn(std::string_view input) {
  fuzz::load_dataset(fuzz::write_folder(input), "geom-gcn");
}

}  // namespace ordered_gnn
