#include "fuzz/harness.h"
#include "ordered_gnn/core/io/npz.h"

using namespace ordered_gnn;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  return fuzz::run(data, size, [](std::string_view input) {
    const NpzReader archive(fuzz::write_input(input, "input.npz"));
    for (const std::string& name : archive.names()) archive.read(name);
    for (const std::string& entry : archive.entries()) {
      archive.read_bytes(entry);
    }
  });
}
