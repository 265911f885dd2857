#include "data/fetch/checksums.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    data::read_checksums(fuzz::write_input(input, "SHA256SUMS"));
  });
}
