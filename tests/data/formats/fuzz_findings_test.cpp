// Inputs with which the fuzzer broke a reader once, run through its harness.
// The sanitized build of these tests is what sees a step out of bounds.
#include <gtest/gtest.h>

#include "data/formats/planetoid/files.h"
#include "fuzz/harness.h"
#include "support/errors.h"

namespace ordered_gnn::data {
namespace {

using namespace std::string_view_literals;

TEST(FuzzFindings, APlanetoidFolderOfOneFileCalledIndGz) {
  const std::filesystem::path folder = fuzz::write_folder(
      "\xc5--file:ind.gz\ndtype\n(U\2i4K\0K\1tsparse\xff\xff\xff\xff\xff"
      "\xff\1\4--f<NNe"sv);
  EXPECT_TRUE(std::filesystem::exists(folder / "ind.gz"));
  EXPECT_TRUE(list_planetoid(folder).empty());
  EXPECT_TRUE(
      contains(error_of([&] { fuzz::load_dataset(folder, "planetoid"); }),
               "there are no Planetoid files such as ind.cora.x here"));
}

}  // namespace
}  // namespace ordered_gnn::data
