// Damages files at random and by hand and reads them as the program does:
//
//   ordered_gnn_mutations [CASES] [--seed N] [--jobs N] [--case N]
//
// Every case ends with an Error or with content; a crash, a hang beyond 20 s,
// more than 1 GiB of memory, an exception of another kind and a damaged
// checkpoint or training state that is taken for whole are findings. CASES,
// 20000 unless given, has the crafted ones among them. --case runs one again.
#include <c10/util/Exception.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "core/io/file.h"
#include "mutations/batches.h"
#include "mutations/crafted.h"
#include "mutations/damage.h"
#include "mutations/subjects.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/core/parallel.h"
#include "support/temp_dir.h"

namespace ordered_gnn::mutations {
namespace {

namespace fs = std::filesystem;

struct Settings {
  int64_t cases = 20000;
  int64_t seed = 1;
  int64_t jobs = available_cores();
  int64_t only = -1;
};

Settings read_settings(int argc, char** argv) {
  Settings settings;
  int64_t* next = &settings.cases;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--seed") == 0) {
      next = &settings.seed;
    } else if (std::strcmp(argv[i], "--jobs") == 0) {
      next = &settings.jobs;
    } else if (std::strcmp(argv[i], "--case") == 0) {
      next = &settings.only;
    } else {
      *next = std::max<int64_t>(0, std::strtoll(argv[i], nullptr, 10));
    }
  }
  return settings;
}

Files files_in(const fs::path& folder) {
  Files files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (!entry.is_regular_file()) continue;
    files[entry.path().lexically_relative(folder).string()] =
        core::read_file(entry.path());
  }
  return files;
}

bool is_about_memory(const char* message) {
  return std::strstr(message, "can't allocate memory") != nullptr ||
         std::strstr(message, "out of memory") != nullptr;
}

class Trial {
 public:
  explicit Trial(const Settings& settings)
      : settings_(settings), subjects_(dataset_subjects()) {
    const std::vector<Subject> runs = run_subjects(dir_ / "graph.npz");
    subjects_.insert(subjects_.end(), runs.begin(), runs.end());
  }

  // In a child, for what trains starts threads.
  bool write_samples() {
    const auto write = [this](int64_t, int64_t) {
      const ThreadScope one_thread(1);
      write_graph(dir_ / "graph.npz");
      for (const Subject& subject : subjects_) {
        fs::create_directories(intact(subject));
        subject.write(intact(subject));
      }
      return Outcome::read;
    };
    Limits unhurried;
    unhurried.seconds = 0;
    if (run_cases(1, unhurried, write).front() != Outcome::read) return false;
    for (const Subject& subject : subjects_) {
      samples_[subject.name] = files_in(intact(subject));
    }
    crafted_ = crafted_cases(samples_);
    return true;
  }

  int run() {
    if (settings_.only >= 0) return run_one();
    Limits limits;
    limits.jobs = std::max<int64_t>(1, settings_.jobs);
    const auto outcomes = run_cases(
        settings_.cases, limits,
        [this](int64_t number, int64_t job) { return outcome(number, job); });
    return report(outcomes);
  }

 private:
  fs::path intact(const Subject& subject) const { return dir_ / subject.name; }

  const Subject& subject_of(int64_t number) const {
    const auto at = static_cast<size_t>(number);
    if (at >= crafted_.size()) return subjects_[at % subjects_.size()];
    return *std::find_if(subjects_.begin(), subjects_.end(),
                         [&](const Subject& subject) {
                           return subject.name == crafted_[at].subject;
                         });
  }

  Files files_of(int64_t number, std::string& how) const {
    const Files& sample = samples_.at(subject_of(number).name);
    if (number >= static_cast<int64_t>(crafted_.size())) {
      std::seed_seq seed{settings_.seed, number};
      std::mt19937_64 random(seed);
      return damaged_files(sample, random, how);
    }
    const Crafted& crafted = crafted_[static_cast<size_t>(number)];
    how = crafted.name;
    Files files = sample;
    crafted.replace(files);
    return files;
  }

  bool read(int64_t number, int64_t job) const {
    const Subject& subject = subject_of(number);
    const fs::path folder = dir_ / fmt::format("job-{}", job);
    core::remove_tree(folder);
    std::string how;
    for (const auto& [name, content] : files_of(number, how)) {
      write_text(folder / name, content);
    }
    const ThreadScope one_thread(1);
    return subject.read(folder, intact(subject));
  }

  // An exception of another kind says what it is at once: only the child knows.
  Outcome outcome(int64_t number, int64_t job) const {
    const auto odd = [&](const char* message) {
      if (is_about_memory(message)) return Outcome::memory;
      fmt::print(stderr, "case {}: no Error but {}\n", number, message);
      return Outcome::odd;
    };
    try {
      return read(number, job) ? Outcome::read : Outcome::accepted;
    } catch (const Error& error) {
      if (settings_.only >= 0) fmt::print("{}\n", error.what());
      return is_about_memory(error.what()) ? Outcome::memory : Outcome::refused;
    } catch (const std::bad_alloc&) {
      return Outcome::memory;
    } catch (const c10::Error& error) {
      return odd(error.what_without_backtrace());
    } catch (const std::exception& error) {
      return odd(error.what());
    }
  }

  void tell(int64_t number, Outcome outcome) const {
    static constexpr const char* kNames[] = {
        "nothing",  "refused", "read", "damage was not seen",
        "no Error", "memory",  "hang", "crash"};
    std::string how;
    files_of(number, how);
    fmt::print("case {}: {}: {}: {}\n", number, subject_of(number).name, how,
               kNames[static_cast<size_t>(outcome)]);
  }

  // Without limits, so that a debugger can follow.
  int run_one() const {
    const Outcome result = outcome(settings_.only, 0);
    tell(settings_.only, result);
    return result > Outcome::read ? EXIT_FAILURE : EXIT_SUCCESS;
  }

  int report(const std::vector<Outcome>& outcomes) const {
    constexpr int64_t kMostTold = 40;
    std::array<int64_t, 8> counts{};
    int64_t findings = 0;
    for (size_t i = 0; i < outcomes.size(); ++i) {
      ++counts[static_cast<size_t>(outcomes[i])];
      const bool is_fine =
          outcomes[i] == Outcome::refused || outcomes[i] == Outcome::read;
      if (is_fine || ++findings > kMostTold) continue;
      tell(static_cast<int64_t>(i), outcomes[i]);
    }
    if (findings > kMostTold) fmt::print("and {} more\n", findings - kMostTold);
    const auto count = [&](Outcome outcome) {
      return counts[static_cast<size_t>(outcome)];
    };
    fmt::print(
        "{} cases ({} crafted) of {} kinds of files: {} refused, {} read; {} "
        "crashes, {} hangs, {} beyond memory, {} not an Error, {} damaged "
        "checkpoints or states accepted\n",
        outcomes.size(), std::min(outcomes.size(), crafted_.size()),
        subjects_.size(), count(Outcome::refused), count(Outcome::read),
        count(Outcome::crash), count(Outcome::hang), count(Outcome::memory),
        count(Outcome::odd), count(Outcome::accepted));
    return findings == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
  }

  const Settings settings_;
  const TempDir dir_;
  std::vector<Subject> subjects_;
  std::map<std::string, Files> samples_;
  std::vector<Crafted> crafted_;
};

}  // namespace
}  // namespace ordered_gnn::mutations

int main(int argc, char** argv) {
  using namespace ordered_gnn::mutations;
  // In memory, where nobody says otherwise: most of a case is files.
  if (::access("/dev/shm", W_OK) == 0) ::setenv("TMPDIR", "/dev/shm", 0);
  Trial trial(read_settings(argc, argv));
  if (!trial.write_samples()) {
    std::fprintf(stderr, "the samples could not be written\n");
    return EXIT_FAILURE;
  }
  return trial.run();
}
