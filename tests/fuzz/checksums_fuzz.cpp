#include "data/fetch/checksums.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_checksums(std::string_view input) {
  data::read_checksums(fuzz::write_input(input, "SHA256SUMS"));
}

}  // namespace ordered_gnn
