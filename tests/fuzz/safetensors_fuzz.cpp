#include "core/io/safetensors/safetensors.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    core::read_safetensors(fuzz::write_input(input, "input.safetensors"));
  });
}
