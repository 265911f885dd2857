#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_csv(std::string_view input) {
  fuzz::load_dataset(fuzz::write_folder(input), "csv");
}

}  // namespace ordered_gnn
