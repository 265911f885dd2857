#include "lab/runs/event_file.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmath>
#include <limits>

#include "core/affixes.h"
#include "lab/runs/crc32c.h"
#include "support/errors.h"
#include "support/event_reader.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

using event_reader::ScalarEvent;

TEST(Crc32c, KnownVectors) {
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising.push_back(byte);
  const std::vector<std::pair<std::string, uint32_t>> vectors = {
      {"", 0},
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {rising, 0x46dd794e}};
  for (const auto& [bytes, crc] : vectors) {
    EXPECT_EQ(crc32c(bytes), crc);
    EXPECT_EQ(event_reader::bitwise_crc32c(bytes), crc);
  }
}

TEST(EventFile, ReadsBackAsItWasGiven) {
  const TempDir dir;
  double now = 1700000000.25;
  EventFile file(dir / "deep" / "run", [&] { return now; });
  const std::vector<int64_t> steps = {
      0, 1, 127, 128, 300, std::numeric_limits<int64_t>::max(), -1};
  for (const int64_t step : steps) {
    now += 0.5;
    const auto number = static_cast<double>(step);
    file.add(step, {{"loss", 0.1}, {"a/b", number}});
    // Read while it is open: each call hands its event over.
    const std::vector<ScalarEvent> events =
        event_reader::read_events(file.path());
    EXPECT_EQ(events.back().wall_time, now);
    EXPECT_EQ(events.back().step, step);
    const std::map<std::string, float> expected = {
        {"loss", 0.1f}, {"a/b", static_cast<float>(number)}};
    EXPECT_EQ(events.back().scalars, expected);
  }
  const std::vector<ScalarEvent> events =
      event_reader::read_events(file.path());
  ASSERT_EQ(events.size(), steps.size());
  EXPECT_EQ(events[0].wall_time, 1700000000.75);
}

TEST(EventFile, TheBytesOfTheFirstRecordAreThoseOfTheFormat) {
  const TempDir dir;
  const EventFile file(dir.path(), [] { return 1.0; });
  const std::vector<std::string> records =
      event_reader::read_records(file.path());
  ASSERT_EQ(records.size(), 1u);
  EXPECT_EQ(records[0], std::string("\x09\0\0\0\0\0\0\xf0\x3f", 9) +
                            "\x1a\x0d" + "brain.Event:2");
}

TEST(EventFile, KeepsWhatIsNoNumber) {
  const TempDir dir;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EventFile file(dir.path());
  file.add(1, {{"nan", std::nan("")},
               {"inf", kInfinity},
               {"minus", -kInfinity},
               {"tiny", -0.0}});
  file.add(2, {});
  const std::vector<ScalarEvent> events =
      event_reader::read_events(file.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_TRUE(std::isnan(events[0].scalars.at("nan")));
  EXPECT_EQ(events[0].scalars.at("inf"), kInfinity);
  EXPECT_EQ(events[0].scalars.at("minus"), -kInfinity);
  EXPECT_TRUE(std::signbit(events[0].scalars.at("tiny")));
  EXPECT_TRUE(events[1].scalars.empty());
}

TEST(EventFile, LongTagsAndManyValuesKeepTheirLengths) {
  const TempDir dir;
  EventFile file(dir.path());
  std::vector<std::pair<std::string, double>> scalars;
  for (int i = 0; i < 300; ++i) {
    scalars.emplace_back(std::string(200, 'x') + std::to_string(i), i);
  }
  file.add(7, scalars);
  const ScalarEvent event = event_reader::read_events(file.path()).at(0);
  ASSERT_EQ(event.scalars.size(), scalars.size());
  for (const auto& [tag, number] : scalars) {
    EXPECT_EQ(event.scalars.at(tag), static_cast<float>(number));
  }
}

TEST(EventFile, TwoInOneFolderHaveNamesOfTheirOwn) {
  const TempDir dir;
  const EventFile first(dir.path(), [] { return 1700000000.9; });
  const EventFile second(dir.path(), [] { return 1700000000.9; });
  EXPECT_NE(first.path(), second.path());
  EXPECT_EQ(dir.names().size(), 2u);
  const std::string name = first.path().filename().string();
  EXPECT_TRUE(core::starts_with(name, "events.out.tfevents.1700000000."))
      << name;
  EXPECT_TRUE(contains(name, "." + std::to_string(::getpid()) + "."));
}

TEST(EventFile, AFolderThatCannotBeIsAnError) {
  const TempDir dir;
  write_text(dir / "file", "text");
  for (const auto& folder : {dir / "file", dir / "file" / "below"}) {
    const std::string message = error_of([&] { EventFile file(folder); });
    EXPECT_TRUE(contains(message, folder.string() + ": cannot create"));
  }
  // Not even root makes files here.
  EXPECT_TRUE(contains(error_of([] { EventFile file("/proc/self"); }),
                       "cannot be created"));
  EXPECT_EQ(core::read_file(dir / "file"), "text");
}

TEST(EventFile, AFullDiskIsAnErrorAndLeavesWholeEvents) {
  const TempDir dir;
  EventFile file(dir.path());
  file.add(1, {{"loss", 1}});
  const auto whole = std::filesystem::file_size(file.path());
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = ::signal(SIGXFSZ, SIG_IGN);
  // Room for a part of the next record.
  const rlimit limit{static_cast<rlim_t>(whole) + 10, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  const std::string message = error_of([&] { file.add(2, {{"loss", 2}}); });
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, old_handler);
  EXPECT_TRUE(contains(message, file.path().string()));
  EXPECT_TRUE(contains(message, "the disk is full"));
  EXPECT_EQ(std::filesystem::file_size(file.path()), whole);
  file.add(3, {{"loss", 3}});
  const std::vector<ScalarEvent> events =
      event_reader::read_events(file.path());
  ASSERT_EQ(events.size(), 2u);
  EXPECT_EQ(events[1].step, 3);
}

}  // namespace
}  // namespace ordered_gnn::lab
