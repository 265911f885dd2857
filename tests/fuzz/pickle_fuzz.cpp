#include "core/io/pickle/pickle.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    core::parse_pickle(std::string(input), "input.pickle");
  });
}
