#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

void fuzz::try_wiki_cs(std::string_view input) {
  fuzz::load_dataset(fuzz::write_folder(input), "wiki-cs");
}

}  // namespace ordered_gnn
