#include "fuzz/harness.h"
#include "ordered_gnn/data/split_dictionaries.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    load_split_dictionaries(fuzz::write_input(input, "splits.npy"), 4);
  });
}
