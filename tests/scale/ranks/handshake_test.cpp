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

// Facts leave out settings at their defaults, which rank 0 may have alone.
TEST(Handshake, RefusesWhatOneOfTheRanksAloneSays) {
  const TempDir dir;
  const PartsManifest manifest =
      read_manifest(write_test_parts(parts_data(), 2, dir / "g.parts"));
  const Json facts = rank_facts(small_run(), manifest);
  RunOptions options = small_run();
  options.network.transform = Transform::linear;
  const Json other = rank_facts(options, manifest);
  ASSERT_FALSE(facts.contains("transform"));
  for (const std::string& verdict : verdicts(facts, other)) {
    EXPECT_TRUE(contains(verdict, "transform is linear, that of rank 0 at its"))
        << verdict;
  }
  for (const std::string& verdict : verdicts(other, facts)) {
    EXPECT_TRUE(contains(verdict, "that of rank 0 linear")) << verdict;
  }
}

// It gives the same bits, but fetches rows anew, which others have to send.
TEST(Handshake, RefusesLayersThatOneRankAloneComputesAgain) {
  const TempDir dir;
  const PartsManifest manifest =
      read_manifest(write_test_parts(parts_data(), 2, dir / "g.parts"));
  RunOptions options = small_run();
  const Json facts = rank_facts(options, manifest);
  options.train.checkpoint_layers = true;
  for (const std::string& verdict :
       verdicts(facts, rank_facts(options, manifest))) {
    EXPECT_TRUE(contains(verdict, "checkpoint-layers is true")) << verdict;
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
