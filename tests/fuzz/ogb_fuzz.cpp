#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_ogb(std::string_view input) {
  fuzz::load_dataset(fuzz::write_folder(input), "ogb");
}

}  // namespace ordered_gnn
