#include "data/formats/geom_gcn/splits.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    data::load_geom_gcn_split(fuzz::write_npz(input, "split.npz"), 4);
  });
}
