#include "fuzz/harness.h"
#include "ordered_gnn/core/io/pickle.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    parse_pickle(std::string(input), "input.pickle");
  });
}
