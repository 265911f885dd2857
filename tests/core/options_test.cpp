#include "ordered_gnn/core/options.h"

#include <gtest/gtest.h>

#include <limits>

#include "support/errors.h"

namespace ordered_gnn::core {
namespace {

struct Settings {
  int64_t count = 3;
  uint64_t seed = 1;
  double share_of_all = 0.5;
  bool quiet = false;
  std::string name = "x";
};

const std::vector<Option<Settings>>& table() {
  static const std::vector<Option<Settings>> rows = {
      option<Settings>("count", "Group", &Settings::count, "help"),
      option<Settings>("seed", "Group", &Settings::seed, "help"),
      in_range(option<Settings>("share-of-all", "Group",
                                &Settings::share_of_all, "help"),
               0, 1),
      execution_only(
          option<Settings>("quiet", "Group", &Settings::quiet, "help")),
      one_of(option<Settings>(
                 "name", "Group", [](Settings & s) -> auto& { return s.name; },
                 "help"),
             {"x", "y"}),
  };
  return rows;
}

const OptionSpec& spec_of(const std::string& name) {
  return find_option(table(), "option", name).spec;
}

std::string word_error(const std::string& name, const std::string& word) {
  return error_of([&] { parse_option(spec_of(name), word); });
}

TEST(Options, AreReachedByMemberOrFunction) {
  Settings settings;
  apply_json(table(),
             {{"count", 7}, {"quiet", true}, {"name", "y"}, {"//", "comment"}},
             settings);
  EXPECT_EQ(settings.count, 7);
  EXPECT_TRUE(settings.quiet);
  EXPECT_EQ(settings.name, "y");
  EXPECT_EQ(to_json(table(), settings).at("count"), 7);
}

TEST(Options, TakeUnderscoresForDashes) {
  Settings settings;
  apply_json(table(), {{"share_of_all", 0.25}}, settings);
  EXPECT_EQ(settings.share_of_all, 0.25);
  EXPECT_TRUE(same_option("a_b-c", "a-b_c"));
  EXPECT_FALSE(same_option("a_b", "a_bc"));
  EXPECT_FALSE(same_option("ab", "a_b"));
}

TEST(Options, AnUnsignedFieldTakesEveryValueOfItsType) {
  const uint64_t most = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(describe_values(spec_of("seed")), "an integer from 0 to 2^64 - 1");
  const Json value = parse_option(spec_of("seed"), std::to_string(most));
  Settings settings;
  find_option(table(), "option", "seed").set(settings, value);
  EXPECT_EQ(settings.seed, most);
  check_options(table(), settings);
  EXPECT_TRUE(contains(word_error("seed", "18446744073709551616"),
                       "option 'seed' takes an integer from 0 to 2^64 - 1, got "
                       "'18446744073709551616'"));
  EXPECT_TRUE(contains(word_error("seed", "-1"), "got -1"));
}

TEST(Options, ASignedFieldRefusesWhatWouldWrapAround) {
  EXPECT_EQ(parse_option(spec_of("count"), "9223372036854775807"),
            std::numeric_limits<int64_t>::max());
  EXPECT_TRUE(contains(word_error("count", "9223372036854775808"),
                       "'count' takes an integer, got 9223372036854775808"));
  EXPECT_TRUE(contains(word_error("count", "-9223372036854775809"),
                       "got '-9223372036854775809'"));
}

TEST(Options, WordsThatAreNoValueAreQuoted) {
  for (const char* word : {"", "1x", "0x1", "+1", " 1", "1.5", "1e3", "-"}) {
    EXPECT_TRUE(
        contains(word_error("count", word), std::string("got '") + word + "'"));
  }
  EXPECT_TRUE(contains(word_error("quiet", "yes"),
                       "'quiet' takes true or false, got 'yes'"));
  EXPECT_TRUE(contains(word_error("name", "Y"), "did you mean 'y'?"));
}

TEST(Options, NaNAndInfinityFitNothing) {
  for (const char* word : {"nan", "inf", "-inf"}) {
    EXPECT_TRUE(
        contains(word_error("share-of-all", word),
                 std::string("takes a number from 0 to 1, got ") + word));
  }
  Settings settings;
  settings.share_of_all = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(contains(error_of([&] { check_options(table(), settings); }),
                       "'share-of-all' takes a number from 0 to 1, got nan"));
}

TEST(Options, AreMarkedAsExecutionOnlyInALargerTableToo) {
  struct Whole {
    Settings part;
  };
  const auto rows = lifted<Whole>(
      table(), [](Whole & whole) -> auto& { return whole.part; });
  for (const Option<Whole>& row : rows) {
    EXPECT_EQ(row.spec.execution_only, row.spec.name == "quiet");
  }
}

TEST(Options, UnknownNamesSuggestTheNearest) {
  EXPECT_TRUE(contains(error_of([] { spec_of("cuont"); }),
                       "unknown option 'cuont'; did you mean 'count'?"));
}

TEST(Options, WhatTheyTakeIsToldWithItsBounds) {
  OptionSpec spec;
  spec.name = "x";
  spec.kind = OptionKind::text;
  EXPECT_EQ(describe_values(spec), "a text");
  spec.kind = OptionKind::integer;
  EXPECT_EQ(describe_values(spec), "an integer");
  spec.min = 2;
  EXPECT_EQ(describe_values(spec), "an integer of at least 2");
  spec.kind = OptionKind::real;
  spec.min = -std::numeric_limits<double>::infinity();
  spec.max = 0.5;
  EXPECT_EQ(describe_values(spec), "a number of at most 0.5");
}

TEST(Options, FlagsAreTakenInThreeSpellings) {
  for (const char* word : {"true", "1", "on"}) {
    EXPECT_EQ(parse_option(spec_of("quiet"), word), Json(true)) << word;
  }
  for (const char* word : {"false", "0", "off"}) {
    EXPECT_EQ(parse_option(spec_of("quiet"), word), Json(false)) << word;
  }
}

TEST(Options, AFileMaySayWhyInAComment) {
  Settings settings;
  apply_json(table(), Json::parse(R"({"// why": "fast", "count": 7})"),
             settings);
  EXPECT_EQ(settings.count, 7);
  EXPECT_EQ(to_json(table(), settings).at("count"), 7);
  const Json misspelt = Json::parse(R"({"counts": 8})");
  EXPECT_TRUE(
      contains(error_of([&] { apply_json(table(), misspelt, settings); }),
               "unknown key 'counts'; did you mean 'count'?"));
}

TEST(ValueText, IsWhatTheCommandLineTakes) {
  EXPECT_EQ(value_text(Json(10.0)), "10");
  EXPECT_EQ(value_text(Json(0.1)), "0.1");
  EXPECT_EQ(value_text(Json(true)), "true");
  EXPECT_EQ(value_text(Json("a b")), "a b");
}

}  // namespace
}  // namespace ordered_gnn::core
