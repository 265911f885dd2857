#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_npz_dataset(std::string_view input) {
  fuzz::load_dataset(fuzz::write_npz(input, "graph.npz"), "npz");
}

}  // namespace ordered_gnn
