#include "data/formats/geom_gcn/split_dictionaries.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    data::load_split_dictionaries(fuzz::write_input(input, "splits.npy"), 4);
  });
}
