// The same model.safetensors, byte for byte: for 1 to 4 ranks, threads or
// processes, in memory or spilled, in one go or killed and resumed with another
// number of ranks. Every rank of gloo is a process, as is every run that is
// killed.
#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <optional>

#include "core/io/sha256.h"
#include "scale/engines/gloo.h"
#include "scale/ranks/process_run.h"
#include "scale/training_support.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kParts = 5, kMatrixEpochs = 5, kKilledIn = 3;

struct How {
  int64_t ranks = 1;
  bool is_gloo = false, is_spilled = false;

  // One rank has nobody to send to, whatever the engine.
  bool has_processes() const { return is_gloo && ranks > 1; }
};

std::string text_of(const How& how) {
  return fmt::format("{} ranks, {}, {}", how.ranks,
                     how.is_gloo ? "gloo" : "local",
                     how.is_spilled ? "spilled" : "in memory");
}

// A process that was forked has no other threads, but what waits for them.
bool is_single_threaded() {
  const fs::directory_iterator threads("/proc/self/task");
  return std::distance(begin(threads), end(threads)) == 1;
}

template <typename Work>
pid_t started(const Work& work) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child != 0) return child;
  try {
    work();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    ::_exit(1);
  }
  ::_exit(0);
}

// As a shell says it: minus the signal that ended the process.
int ended(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int free_port() {
  const int probe = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof(address);
  auto* const plain = reinterpret_cast<sockaddr*>(&address);
  EXPECT_EQ(::bind(probe, plain, size), 0);
  EXPECT_EQ(::getsockname(probe, plain, &size), 0);
  ::close(probe);
  return ::ntohs(address.sin_port);
}

// A run over parts that rank 0 may be killed in.
class MatrixRun {
 public:
  MatrixRun(fs::path parts, fs::path out, const How& how, bool is_killed)
      : parts_(std::move(parts)),
        out_(std::move(out)),
        how_(how),
        is_killed_(is_killed) {}

  // How rank 0 ended.
  int run() {
    if (!how_.has_processes()) return ended(started([this] { be_alone(); }));
    const int port = free_port();
    std::vector<pid_t> ranks;
    for (int64_t r = 0; r < how_.ranks; ++r) {
      ranks.push_back(started([&, r] { be_rank(r, port); }));
    }
    const int first = ended(ranks.front());
    for (size_t r = 1; r < ranks.size(); ++r) {
      // They find out by themselves, but need not take their time.
      if (first != 0) ::kill(ranks[r], SIGKILL);
      const int other = ended(ranks[r]);
      EXPECT_TRUE(first != 0 || other == 0) << other;
    }
    return first;
  }

 private:
  struct Input {
    Input(const fs::path& parts, const fs::path& spill_folder)
        : options(matrix_options()),
          read(parts, options, scale::Wire::fp32),
          spill(tight_spill(spill_folder)) {}

    static RunOptions matrix_options() {
      RunOptions options = small_run();
      options.train.epochs = kMatrixEpochs;
      options.train.save_seconds = 0;
      options.execution.threads = 1;
      return options;
    }

    RunOptions options;
    PartsRead read;
    scale::SpillOptions spill;
  };

  Input input() const { return {parts_, out_ / "spill"}; }

  void train(scale::Group& group, const Input& input, int64_t threads) const {
    TrainHooks hooks;
    hooks.folder = out_;
    hooks.resume = fs::exists(out_ / "state.safetensors");
    hooks.on_epoch = [this](const EpochReport& report) {
      if (is_killed_ && report.epoch == kKilledIn) ::raise(SIGKILL);
    };
    scale::PartsRun run(
        {group, parts_, input.read.manifest, input.options, threads,
         scale::Wire::fp32, how_.is_spilled ? &input.spill : nullptr},
        input.read.scored);
    run.train(0, input.options, hooks);
    if (how_.is_spilled && run.spill_room()->counts().read == 0) {
      throw Error("nothing was spilled");
    }
  }

  void be_alone() const {
    const Input all = input();
    // With a limit, the parts of all ranks of a process take turns.
    scale::run_local(how_.is_spilled ? 1 : how_.ranks, parts_,
                     all.read.manifest, all.options,
                     [&](scale::Group& group, int64_t threads) {
                       train(group, all, threads);
                     });
  }

  void be_rank(int64_t rank, int port) const {
    const Input all = input();
    scale::ProcessTask task{
        parts_,
        all.read.manifest,
        all.options,
        {rank, how_.ranks, how_.ranks, rank, {"127.0.0.1", port}},
        {},
        "",
        [](const scale::LostRank&) { ::_exit(75); }};
    if (how_.is_spilled) task.spill = &all.spill;
    if (rank > 0) {
      scale::run_other_rank(task);
      return;
    }
    scale::run_first_rank(
        task, [&](scale::Group& group) { train(group, all, task.threads); });
  }

  const fs::path parts_, out_;
  const How how_;
  const bool is_killed_;
};

// The checksum of the model of a run in one go, or of one that is killed and
// goes on with another number of ranks.
std::string checksum_of(const fs::path& parts, const fs::path& out,
                        const How& how, std::optional<int64_t> resumed) {
  if (resumed) {
    EXPECT_EQ(MatrixRun(parts, out, how, /*is_killed=*/true).run(), -SIGKILL);
    EXPECT_TRUE(fs::exists(out / "state.safetensors"));
  }
  How last = how;
  if (resumed) last.ranks = *resumed;
  EXPECT_EQ(MatrixRun(parts, out, last, /*is_killed=*/false).run(), 0);
  return core::sha256_of_file(out / "model.safetensors");
}

std::vector<How> all_ways() {
  std::vector<How> ways;
  for (int64_t ranks = 1; ranks <= 4; ++ranks) {
    for (const bool is_gloo : {false, true}) {
      for (const bool is_spilled : {false, true}) {
        ways.push_back({ranks, is_gloo, is_spilled});
      }
    }
  }
  return ways;
}

TEST(BitsMatrix, HasOneChecksum) {
  if (!is_single_threaded()) {
    const pid_t child = started([] {
      ::execl("/proc/self/exe", "ordered_gnn_scale_test",
              "--gtest_filter=BitsMatrix.HasOneChecksum", nullptr);
    });
    ASSERT_EQ(ended(child), 0);
    return;
  }
  const TempDir dir;
  const fs::path parts = dir / "g.parts";
  const pid_t writer = started(
      [&] { write_test_parts(parts_data("&directed=true"), kParts, parts); });
  ASSERT_EQ(ended(writer), 0);
  const std::string one = checksum_of(parts, dir / "one", How(), std::nullopt);
  int64_t number = 0;
  for (const How& how : all_ways()) {
    if (how.is_gloo && !scale::has_gloo()) continue;
    SCOPED_TRACE(text_of(how));
    const auto out = [&] { return dir / std::to_string(++number); };
    EXPECT_EQ(checksum_of(parts, out(), how, std::nullopt), one);
    EXPECT_EQ(checksum_of(parts, out(), how, how.ranks % 4 + 1), one);
  }
}

}  // namespace
}  // namespace ordered_gnn
