#include "core/io/npy/npz.h"
#include "fuzz/harness.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    const core::NpzReader archive(fuzz::write_input(input, "input.npz"));
    for (const std::string& name : archive.names()) archive.read(name);
    for (const std::string& entry : archive.entries()) {
      archive.read_bytes(entry);
    }
  });
}
