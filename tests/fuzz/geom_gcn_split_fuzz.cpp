#include "fuzz/harness.h"
#include "ordered_gnn/data/geom_gcn_splits.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    load_geom_gcn_split(fuzz::write_npz(input, "split.npz"), 4);
  });
}
