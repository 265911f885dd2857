#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_planetoid(std::string_view input) {
  fuzz::load_dataset(fuzz::write_folder(input), "planetoid");
}

}  // namespace ordered_gnn
