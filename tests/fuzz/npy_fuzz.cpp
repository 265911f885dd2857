#include "core/io/npy/npy.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_npy(std::string_view input) {
  core::parse_npy(input, "input.npy");
}

}  // namespace ordered_gnn
