#include "core/io/npy/npz.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_npz(std::string_view input) {
  const core::NpzReader archive(fuzz::write_input(input, "input.npz"));
  for (const std::string& name : archive.names()) archive.read(name);
  for (const std::string& entry : archive.entries()) {
    archive.read_bytes(entry);
  }
}

}  // namespace ordered_gnn
