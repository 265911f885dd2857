#include "data/layout/latent_cache.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

// A file of the folder that --layout-cache names, of four nodes.
void fuzz::try_latent(std::string_view input) {
  data::read_latent_file(fuzz::write_input(input, "layout.safetensors"), "key",
                         4);
}

}  // namespace ordered_gnn
