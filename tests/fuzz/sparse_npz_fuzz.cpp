#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_sparse_npz(std::string_view input) {
  fuzz::load_dataset(fuzz::write_npz(input, "graph.npz"), "sparse-npz");
}

}  // namespace ordered_gnn
