#include <cstdio>
#include <cstdlib>

#include "data/fetch/unpack.h"
#include "fuzz/harness.h"
#include "fuzz/targets.h"

namespace ordered_gnn {

namespace {

void require_nothing_beside(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name == "archive.zip" || name == "root") continue;
    std::fprintf(stderr, "unpacking made %s\n", name.c_str());
    std::abort();
  }
}

}  // namespace

// An archive of `ognn data fetch`: nothing may get out of its folder.
void fuzz::try_unpack(std::string_view input) {
  data::Unpacking what;
  what.archive = fuzz::write_input(input, "archive.zip");
  what.from = "raw/";
  what.root = what.archive.parent_path() / "root";
  what.to = "data/";
  what.max_bytes = 1 << 20;
  try {
    data::unpack_zip(what);
  } catch (const Error&) {
    require_nothing_beside(what.archive.parent_path());
    throw;
  }
  require_nothing_beside(what.archive.parent_path());
}

}  // namespace ordered_gnn
