#include "core/io/pickle/pickle.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_pickle(std::string_view input) {
  core::parse_pickle(std::string(input), "input.pickle");
}

}  // namespace ordered_gnn
