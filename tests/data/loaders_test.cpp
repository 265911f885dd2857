#include "ordered_gnn/data/loaders.h"

#include <set>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "data/formats/npz/dataset.h"

namespace ordered_gnn::data {
namespace {

TEST(Loaders, EveryEntryIsCompleteAndNamedOnce) {
  std::set<std::string> names;
  for (const Loader& loader : loaders()) {
    EXPECT_TRUE(names.insert(loader.name).second) << loader.name;
    EXPECT_FALSE(loader.summary.empty());
    EXPECT_FALSE(loader.needs.empty());
    EXPECT_NE(loader.recognises, nullptr);
    EXPECT_NE(loader.load, nullptr);
  }
}

TEST(Loaders, NoEntryRecognisesAnEmptyFolder) {
  const TempDir folder;
  for (const Loader& loader : loaders()) {
    EXPECT_FALSE(loader.recognises(folder.path())) << loader.name;
  }
}

TEST(LoadPath, TellsFormatsApartAndFingerprintsTheContent) {
  const TempDir folder;
  write_small_geom_gcn(folder / "tiny");
  const RawDataset text = load_path(folder / "tiny");
  EXPECT_EQ(text.provenance.format, "geom-gcn");
  EXPECT_EQ(text.provenance.fingerprint, content_fingerprint(text));
  write_npz_dataset(folder / "tiny.npz", text);
  const RawDataset packed = load_path(folder / "tiny.npz");
  EXPECT_EQ(packed.provenance.format, "npz");
  EXPECT_EQ(packed.provenance.fingerprint, text.provenance.fingerprint);
}

TEST(LoadPath, SaysWhatEachFormatNeedsWhenNoneFits) {
  const TempDir folder;
  const std::string message = error_of([&] { load_path(folder.path()); });
  EXPECT_TRUE(contains(message, folder.path().string()));
  for (const Loader& loader : loaders()) {
    EXPECT_TRUE(contains(message, loader.name + ": " + loader.needs));
  }
}

TEST(LoadPath, SaysThatAPathDoesNotExist) {
  EXPECT_TRUE(contains(error_of([] { load_path("/nowhere/at/all"); }),
                       "/nowhere/at/all: there is no such file or folder"));
}

TEST(LoadPath, NamesTheNearestFormat) {
  const TempDir folder;
  EXPECT_TRUE(contains(error_of([&] { load_path(folder.path(), "geom_gcn"); }),
                       "did you mean 'geom-gcn'"));
}

TEST(LoadPath, AGivenFormatIsUsedWithoutGuessing) {
  const TempDir folder;
  write_text(folder / "data.bin", "not a zip");
  EXPECT_TRUE(contains(error_of([&] { load_path(folder / "data.bin", "npz"); }),
                       "data.bin"));
}

TEST(LoadPath, NamesTheNearestSplitSet) {
  const TempDir folder;
  write_small_geom_gcn(folder.path());
  LoadOptions options;
  options.split_set = "geomgcn";
  EXPECT_TRUE(
      contains(error_of([&] { load_path(folder.path(), "auto", options); }),
               "did you mean 'geom-gcn'"));
}

}  // namespace
}  // namespace ordered_gnn::data
