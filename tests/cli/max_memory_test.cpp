// What does not fit ends with status 1, a number and a remedy.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>

#include "cli/ognn_process.h"
#include "support/errors.h"
#include "support/sanitized.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

constexpr const char* kLargeGraph = "synthetic:csbm?nodes=50000000";

// Limits the addresses of this process and of those that it starts.
class FewAddresses {
 public:
  explicit FewAddresses(uint64_t bytes) {
    ::getrlimit(RLIMIT_AS, &before_);
    struct rlimit few = before_;
    few.rlim_cur = bytes;
    is_set_ = ::setrlimit(RLIMIT_AS, &few) == 0;
  }
  ~FewAddresses() { ::setrlimit(RLIMIT_AS, &before_); }
  FewAddresses(const FewAddresses&) = delete;
  FewAddresses& operator=(const FewAddresses&) = delete;
  bool is_set() const { return is_set_; }

 private:
  struct rlimit before_ {};
  bool is_set_ = false;
};

TEST(MaxMemory, EveryCommandThatLoadsRefusesAGraphThatIsTooLarge) {
  const TempDir dir;
  const std::string out = (dir / "out").string();
  const std::vector<std::vector<std::string>> commands = {
      {"train", "--data", kLargeGraph},
      {"bench", "epoch", "--data", kLargeGraph},
      {"compare", "--data", kLargeGraph, "--models", "mlp,gcn", "--out", out},
      {"tune", "--data", kLargeGraph, "--out", out},
      {"data", "info", kLargeGraph},
      {"data", "convert", kLargeGraph, "--out", out},
      {"data", "generate", kLargeGraph, "--out", out + ".npz"}};
  for (std::vector<std::string> command : commands) {
    SCOPED_TRACE(command[0] + " " + command[1]);
    command.insert(command.end(), {"--max-memory", "2G"});
    const Outcome outcome = run_ognn(command);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_TRUE(contains(outcome.err, "a graph of 50000000 nodes"));
    EXPECT_TRUE(
        contains(outcome.err, "takes 21.6 GB, but --max-memory 2.0 GB leaves"));
  }
}

TEST(MaxMemory, TrainingThatDoesNotFitLeavesNoFolder) {
  const TempDir dir;
  const std::string out = (dir / "run").string();
  const Outcome outcome =
      run_ognn({"train", "--data",
                "synthetic:csbm?nodes=20000&features=8&degree=2", "--layers",
                "64", "--hidden", "512", "--out", out, "--max-memory", "1G"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "training ordered_gnn on 'csbm'"));
  EXPECT_TRUE(contains(outcome.err, "use --checkpoint-layers"));
  EXPECT_FALSE(std::filesystem::exists(out));
}

TEST(MaxMemory, ARecipeMaySetIt) {
  const TempDir dir;
  const auto recipe = dir / "r.json";
  write_text(recipe, R"({"max-memory": "1M"})");
  const Outcome outcome = run_ognn(tiny_train({"--config", recipe.string()}));
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "--max-memory 1.0 MB is less than"));
  write_text(recipe, R"({"max-memory": "much"})");
  EXPECT_EQ(run_ognn(tiny_train({"--config", recipe.string()})).status, 2);
}

// More than the system gives, and told to take it.
TEST(MaxMemory, MemoryThatCannotBeHadEndsWithWhatWasBeingDone) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer takes all addresses";
  const FewAddresses few(uint64_t{6} << 30);
  ASSERT_TRUE(few.is_set());
  const Outcome loading = run_ognn(
      {"data", "info", "synthetic:csbm?nodes=200000&features=12000&degree=1",
       "--max-memory", "1T"});
  EXPECT_EQ(loading.status, 1);
  EXPECT_TRUE(contains(loading.err, "out of memory while loading synthetic:"));
  const Outcome training = run_ognn(
      {"train", "--data", "synthetic:csbm?nodes=20000&features=8&degree=2",
       "--layers", "64", "--hidden", "1024", "--epochs", "1", "--max-memory",
       "1T"});
  EXPECT_EQ(training.status, 1);
  EXPECT_TRUE(contains(training.err, "out of memory while training split 0"));
}

// The addresses that are left are what is free.
TEST(MaxMemory, ALimitOfAddressesIsToldAhead) {
  if (kSanitized) GTEST_SKIP() << "the sanitizer takes all addresses";
  const FewAddresses few(uint64_t{6} << 30);
  ASSERT_TRUE(few.is_set());
  const Outcome outcome = run_ognn({"data", "info", kLargeGraph});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err, "takes 21.6 GB, but"));
  EXPECT_TRUE(contains(outcome.err, " is free; use a machine"));
}

}  // namespace
}  // namespace ordered_gnn
