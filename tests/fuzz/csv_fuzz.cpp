#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    fuzz::load_dataset(fuzz::write_folder(input), "csv");
  });
}
