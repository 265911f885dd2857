#include "data/formats/geom_gcn/splits.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_geom_gcn_split(std::string_view input) {
  data::load_geom_gcn_split(fuzz::write_npz(input, "split.npz"), 4);
}

}  // namespace ordered_gnn
