// Writes the seeds of every fuzz target: OUT/TARGET/NAME, small valid inputs
// made by the library's own writers.
#include "fuzz/corpus.h"

#include <cstdio>
#include <exception>

namespace fs = std::filesystem;
namespace fuzz = ordered_gnn::fuzz;

fs::path fuzz::seed_of(const fs::path& out, const std::string& target,
                       const std::string& name) {
  fs::create_directories(out / target);
  return out / target / name;
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s OUT\n", argv[0]);
    return 2;
  }
  try {
    const fs::path out = argv[1];
    fuzz::write_data_seeds(out, out / "scratch");
    fuzz::write_text_seeds(out);
    fuzz::write_run_seeds(out, out / "scratch");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
