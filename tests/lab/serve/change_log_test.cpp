#include "lab/serve/change_log.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>

#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

std::string three_changes() {
  std::string out = log_start({41, "base", {{"name", "g.npz"}}});
  for (int64_t i = 42; i < 45; ++i) {
    out += encoded({i, "change " + std::to_string(i)});
  }
  return out;
}

TEST(ChangeLog, IsReadBack) {
  const std::string bytes = three_changes();
  const LogContent read = parse_log(bytes, "log");
  EXPECT_EQ(read.header.base_sequence, 41);
  EXPECT_EQ(read.header.base, "base");
  EXPECT_EQ(read.header.origin, Json({{"name", "g.npz"}}));
  ASSERT_EQ(read.records.size(), 3u);
  EXPECT_EQ(read.records[2].sequence, 44);
  EXPECT_EQ(read.records[2].body, "change 44");
  EXPECT_EQ(read.end, static_cast<int64_t>(bytes.size()));
  EXPECT_EQ(read.cut_bytes, 0);
}

TEST(ChangeLog, EveryCutGivesTheWholeRecordsBefore) {
  const std::string bytes = three_changes();
  const size_t header = log_start({41, "base", {{"name", "g.npz"}}}).size();
  const size_t record = encoded({42, "change 42"}).size();
  for (size_t size = header; size <= bytes.size(); ++size) {
    const LogContent read = parse_log(bytes.substr(0, size), "log");
    EXPECT_EQ(read.records.size(), (size - header) / record) << size;
    EXPECT_EQ(read.end + read.cut_bytes, static_cast<int64_t>(size));
  }
}

TEST(ChangeLog, ZerosThatAPowerCutLeavesAreCutOff) {
  const std::string bytes = three_changes();
  EXPECT_EQ(parse_log(bytes + std::string(100, '\0'), "log").records.size(),
            3u);
  std::string last = encoded({45, "change 45"});
  std::fill(last.begin() + 16, last.end(), '\0');
  EXPECT_EQ(parse_log(bytes + last, "log").records.size(), 3u);
}

// A change that was acknowledged is never left out without a word.
TEST(ChangeLog, EveryOtherByteIsDamage) {
  const std::string bytes = three_changes();
  for (size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x21);
    EXPECT_TRUE(
        contains(error_of([&] { parse_log(damaged, "the log"); }), "the log"))
        << at;
  }
  std::string skipped = log_start({41, "base", Json::object()});
  skipped += encoded({43, "change 43"});
  EXPECT_TRUE(contains(error_of([&] { parse_log(skipped, "log"); }),
                       "after change 41 is damaged"));
}

TEST(ChangeLog, AppendsBehindWhatIsWhole) {
  const TempDir dir;
  const std::string bytes = three_changes();
  write_text(dir / "log", bytes + "torn");
  {
    ChangeLog log(dir / "log", static_cast<int64_t>(bytes.size()));
    log.append(encoded({45, "a"}) + encoded({46, "b"}));
    EXPECT_EQ(log.bytes(),
              static_cast<int64_t>(core::read_file(dir / "log").size()));
  }
  const LogContent read = parse_log(core::read_file(dir / "log"), "log");
  ASSERT_EQ(read.records.size(), 5u);
  EXPECT_EQ(read.records[4].body, "b");
  EXPECT_TRUE(contains(error_of([&] { ChangeLog(dir / "none", 0); }),
                       "cannot be written to"));
}

// A file that may not grow stands in for a full disk.
TEST(ChangeLog, AFullDiskLeavesNothingAndTheNextChangeGoesOn) {
  const TempDir dir;
  const std::string bytes = three_changes();
  write_text(dir / "log", bytes);
  ChangeLog log(dir / "log", static_cast<int64_t>(bytes.size()));
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit few = before;
  few.rlim_cur = bytes.size() + 40;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &few), 0);
  const std::string refused = error_of([&] {
    log.append(encoded({45, std::string(100, 'x')}));
  });
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(contains(refused, "the change cannot be written"));
  EXPECT_EQ(core::read_file(dir / "log"), bytes);
  log.append(encoded({45, "y"}));
  EXPECT_EQ(parse_log(core::read_file(dir / "log"), "log").records.size(), 4u);
}

}  // namespace
}  // namespace ordered_gnn::lab
