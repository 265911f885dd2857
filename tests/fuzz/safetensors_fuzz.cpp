#include "core/io/safetensors/safetensors.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_safetensors(std::string_view input) {
  core::read_safetensors(fuzz::write_input(input, "input.safetensors"));
}

}  // namespace ordered_gnn
