#include "support/corruption.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <random>
#include <utility>

#include "core/affixes.h"
#include "core/io/file.h"
#include "ordered_gnn/core/error.h"
#include "ordered_gnn/data/loaders.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

constexpr int64_t kMaxGrowth = int64_t{1} << 30;
constexpr std::chrono::seconds kMaxTime{10};

// Bytes in one line of /proc/self/status, for example "VmPeak".
int64_t memory_of(const std::string& key) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    std::string_view rest = line;
    if (core::take_prefix(rest, key + ":")) {
      return 1024 * std::stoll(std::string(rest));
    }
  }
  return 0;
}

// Watches address space instead of resident pages: memory that is asked for
// because of a number in a damaged file is rarely ever touched.
class MemoryBound {
 public:
  MemoryBound() : size_(memory_of("VmSize")), peak_(memory_of("VmPeak")) {
    EXPECT_GT(peak_, 0) << "no VmPeak in /proc/self/status";
  }
  ~MemoryBound() {
    const int64_t peak = memory_of("VmPeak");
    if (peak == peak_) return;  // some earlier test took more
    EXPECT_LE(peak - size_, kMaxGrowth) << "bytes of memory were asked for";
  }

 private:
  int64_t size_;
  int64_t peak_;
};

// True for a dataset, false for an Error; everything else fails the test.
bool loads(const fs::path& dataset, const std::string& format,
           const std::string& damage) {
  RawDataset raw;
  try {
    raw = load_path(dataset, format);
  } catch (const Error&) {
    return false;
  } catch (const std::exception& error) {
    ADD_FAILURE() << damage << ": no Error but " << error.what();
    return false;
  }
  try {
    validate(raw);
  } catch (const Error& error) {
    ADD_FAILURE() << damage << ": loaded, but " << error.what();
  }
  return true;
}

}  // namespace

Corruption::Corruption(fs::path root, fs::path dataset, std::string format)
    : dataset_(std::move(dataset)), format_(std::move(format)) {
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    files_.push_back({entry.path(), core::read_file(entry.path())});
    num_bytes_ += static_cast<int64_t>(files_.back().content.size());
  }
  // The order of a folder's entries must not choose the random damage.
  std::sort(files_.begin(), files_.end(),
            [](const File& a, const File& b) { return a.path < b.path; });
}

void Corruption::try_loading(const std::string& damage,
                             CorruptionCounts& counts) const {
  const Clock::time_point start = Clock::now();
  ++counts.tried;
  if (!loads(dataset_, format_, damage)) ++counts.refused;
  EXPECT_LT(Clock::now() - start, kMaxTime) << damage;
}

CorruptionCounts Corruption::truncate_everywhere() {
  const MemoryBound bound;
  CorruptionCounts counts;
  for (const File& file : files_) {
    for (size_t size = 0; size < file.content.size(); ++size) {
      write_text(file.path, std::string_view(file.content).substr(0, size));
      try_loading(fmt::format("{} cut to {} bytes", file.path.string(), size),
                  counts);
    }
    write_text(file.path, file.content);
  }
  return counts;
}

CorruptionCounts Corruption::flip_bytes(int64_t rounds, uint32_t seed) {
  const MemoryBound bound;
  CorruptionCounts counts;
  std::mt19937 random(seed);
  for (int64_t round = 0; round < rounds; ++round) {
    size_t at = random() % static_cast<size_t>(num_bytes_);
    auto file = files_.begin();
    while (at >= file->content.size()) at -= (file++)->content.size();
    std::string damaged = file->content;
    std::string damage = file->path.string();
    for (int64_t flips = 0; flips <= round % 3; ++flips) {
      damaged[at] ^= static_cast<char>(1 + random() % 255);
      damage += fmt::format(", byte {} = {:#04x}", at,
                            static_cast<unsigned char>(damaged[at]));
      at = random() % damaged.size();
    }
    write_text(file->path, damaged);
    try_loading(damage, counts);
    write_text(file->path, file->content);
  }
  return counts;
}

CorruptionCounts Corruption::remove_each_file() {
  const MemoryBound bound;
  CorruptionCounts counts;
  for (const File& file : files_) {
    fs::remove(file.path);
    try_loading(file.path.string() + " removed", counts);
    write_text(file.path, file.content);
  }
  return counts;
}

}  // namespace ordered_gnn
