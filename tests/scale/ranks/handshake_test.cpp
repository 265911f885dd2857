#include "scale/ranks/handshake.h"

#include <gtest/gtest.h>

#include <thread>

#include "scale/engines/local_group.h"
#include "scale/training_support.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::scale {
namespace {

// What two ranks say of their facts.
std::vector<std::string> verdicts(const Json& first, const Json& second) {
  LocalHub hub(2);
  std::vector<std::string> said(2);
  std::thread other([&] {
    const auto group = hub.rank(1);
    said[1] = error_of([&] { compare_facts(*group, second); });
  });
  const auto group = hub.rank(0);
  said[0] = error_of([&] { compare_facts(*group, first); });
  other.join();
  return said;
}

TEST(Handshake, RefusesOnAllRanksWhatDiffersByItsName) {
  const TempDir dir;
  const PartsManifest manifest =
      read_manifest(write_test_parts(parts_data(), 2, dir / "g.parts"));
  const Json facts = rank_facts(small_run(), manifest);
  EXPECT_EQ(verdicts(facts, facts), (std::vector<std::string>{"", ""}));
  for (const char* name : {"version", "commit", "instruction set",
                           "fingerprint of the parts", "lr", "layers"}) {
    Json changed = facts;
    ASSERT_TRUE(changed.contains(name)) << name;
    changed[name] = "another";
    for (const std::string& verdict : verdicts(facts, changed)) {
      EXPECT_TRUE(contains(verdict, fmt::format("its {} is another", name)));
      EXPECT_TRUE(contains(verdict, "rank 1 does not fit rank 0"));
    }
  }
}

TEST(Handshake, DoesNotMindHowManyThreadsARankHas) {
  const TempDir dir;
  const PartsManifest manifest =
      read_manifest(write_test_parts(parts_data(), 2, dir / "g.parts"));
  RunOptions options = small_run();
  const Json facts = rank_facts(options, manifest);
  options.execution.threads = 7;
  options.data.data = "/elsewhere/g.parts";
  EXPECT_EQ(rank_facts(options, manifest), facts);
}

}  // namespace
}  // namespace ordered_gnn::scale
