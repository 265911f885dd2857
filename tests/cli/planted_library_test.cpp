// A library that someone left in the folder where the command is called.
#include <gtest/gtest.h>
#include <link.h>

#include <filesystem>
#include <string>
#include <vector>

#include "cli/ognn_process.h"
#include "support/current_folder.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// Names of the libraries that this program has loaded: those of the command,
// for it links what the command links.
std::vector<std::string> loaded_libraries() {
  std::vector<std::string> names;
  const auto add = [](dl_phdr_info* info, size_t, void* list) {
    const auto name = std::filesystem::path(info->dlpi_name).filename();
    if (name.string().find(".so") != std::string::npos) {
      static_cast<std::vector<std::string>*>(list)->push_back(name);
    }
    return 0;
  };
  ::dl_iterate_phdr(add, &names);
  return names;
}

TEST(PlantedLibrary, IsNotLoadedFromTheCurrentFolder) {
  const std::vector<std::string> names = loaded_libraries();
  ASSERT_GT(names.size(), 5u);
  const TempDir dir;
  for (const std::string& name : names) write_text(dir / name, "no library");
  const CurrentFolder here(dir.path());
  const Outcome outcome = run_ognn({"models"});
  EXPECT_EQ(outcome.status, 0) << outcome.err;
}

}  // namespace
}  // namespace ordered_gnn
