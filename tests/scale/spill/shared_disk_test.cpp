#include "scale/spill/shared_disk.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "scale/engines/local_group.h"
#include "scale/spill/spill_file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

DiskClaim claim(const std::string& host, uint64_t disk, int64_t needed,
                int64_t free = 100'000'000) {
  return {host, "/disk/" + host, disk, free, needed};
}

// What every rank says of the claims of all.
std::vector<std::string> refusals(const std::vector<DiskClaim>& claims) {
  LocalHub hub(static_cast<int64_t>(claims.size()));
  std::vector<std::string> said(claims.size());
  std::vector<std::thread> threads;
  for (size_t r = 0; r < claims.size(); ++r) {
    threads.emplace_back([&, r] {
      const auto group = hub.rank(static_cast<int64_t>(r));
      said[r] = error_of([&] { require_disk_room(*group, claims[r]); });
    });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

TEST(SharedDisk, RanksOnOneHostShareWhatIsFree) {
  for (const std::string& said :
       refusals({claim("a", 1, 60'000'000), claim("b", 1, 60'000'000),
                 claim("a", 1, 50'000'000)})) {
    EXPECT_TRUE(contains(said, "/disk/a: the disk has no room")) << said;
    EXPECT_TRUE(contains(said, "they need 110.0 MB together, 100.0 MB are"))
        << said;
  }
}

TEST(SharedDisk, OtherHostsAndOtherDisksHaveTheirOwn) {
  const std::vector<std::string> none(3);
  EXPECT_EQ(refusals({claim("a", 1, 60'000'000), claim("b", 1, 60'000'000),
                      claim("a", 2, 60'000'000)}),
            none);
  EXPECT_EQ(refusals({claim("a", 1, 50'000'000), claim("a", 1, 50'000'000),
                      claim("a", 1, 0)}),
            none);
  // Nobody is refused for what is not known.
  EXPECT_EQ(refusals({claim("a", 1, 60'000'000, -1),
                      claim("a", 1, 60'000'000, -1), claim("a", 1, 0, -1)}),
            none);
}

TEST(SharedDisk, OneRankIsHeldAgainstItsDisk) {
  EXPECT_EQ(refusals({claim("a", 1, 60'000'000)}).front(), "");
  EXPECT_TRUE(contains(refusals({claim("a", 1, 160'000'000)}).front(),
                       "they need 160.0 MB together"));
  EXPECT_EQ(disk_objection({claim("a", 1, INT64_MAX), claim("a", 1, INT64_MAX)})
                .empty(),
            false);
}

TEST(SharedDisk, AFolderIsOnTheDiskOfTheOneAroundIt) {
  const TempDir dir;
  const DiskClaim here = disk_claim(dir.path(), 7);
  const DiskClaim later = disk_claim(dir / "still/to/be/made", 7);
  EXPECT_NE(here.disk, 0U);
  EXPECT_EQ(here.disk, later.disk);
  EXPECT_EQ(here.host, later.host);
  EXPECT_EQ(here.needed, 7);
  EXPECT_GE(later.free, 0);
}

}  // namespace
}  // namespace ordered_gnn::scale
