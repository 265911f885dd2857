#include "data/formats/geom_gcn/split_dictionaries.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_split_dictionaries(std::string_view input) {
  data::load_split_dictionaries(fuzz::write_input(input, "splits.npy"), 4);
}

}  // namespace ordered_gnn
