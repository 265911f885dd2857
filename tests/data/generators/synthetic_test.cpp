#include "data/generators/synthetic.h"

#include <set>

#include "data/data_support.h"
#include "data/fingerprint.h"
#include "data/generators/csbm.h"
#include "data/generators/shaped_graph.h"

namespace ordered_gnn::data {
namespace {

std::string spec_error(const std::string& spec) {
  return error_of([&] { generate_synthetic(spec); });
}

struct CsbmSetting {
  const char* word;
  void (*set)(CsbmOptions& options);
};

const CsbmSetting kCsbmSettings[] = {
    {"nodes=200", [](CsbmOptions& o) { o.nodes = 200; }},
    {"classes=3", [](CsbmOptions& o) { o.classes = 3; }},
    {"features=40", [](CsbmOptions& o) { o.features = 40; }},
    {"degree=3.5", [](CsbmOptions& o) { o.degree = 3.5; }},
    {"homophily=0.125", [](CsbmOptions& o) { o.homophily = 0.125; }},
    {"degree_spread=0.5", [](CsbmOptions& o) { o.degree_spread = 0.5; }},
    {"signal=2", [](CsbmOptions& o) { o.signal = 2; }},
    {"directed=true", [](CsbmOptions& o) { o.directed = true; }},
    {"sparse=1", [](CsbmOptions& o) { o.sparse = true; }},
    {"density=0.1", [](CsbmOptions& o) { o.density = 0.1; }},
    {"splits=2", [](CsbmOptions& o) { o.splits = 2; }},
    {"train=0.5", [](CsbmOptions& o) { o.train = 0.5; }},
    {"val=0.25", [](CsbmOptions& o) { o.val = 0.25; }},
    {"seed=18446744073709551615",
     [](CsbmOptions& o) { o.seed = 18446744073709551615u; }},
};

// One more at a time, and every one of them changes the graph.
TEST(Synthetic, SettingsReachTheGenerator) {
  CsbmOptions options;
  std::string spec = "synthetic:csbm?";
  std::set<std::string> seen = {content_fingerprint(generate_csbm(options))};
  for (const CsbmSetting& setting : kCsbmSettings) {
    setting.set(options);
    spec += std::string(seen.size() > 1 ? "&" : "") + setting.word;
    const std::string got = content_fingerprint(generate_synthetic(spec));
    EXPECT_EQ(got, content_fingerprint(generate_csbm(options))) << spec;
    EXPECT_TRUE(seen.insert(got).second) << spec;
  }
}

TEST(Synthetic, EveryGeneratorIsListedWithItsKeys) {
  std::set<std::string> names;
  for (const SyntheticGenerator& generator : synthetic_generators()) {
    EXPECT_TRUE(names.insert(generator.name).second);
    EXPECT_FALSE(generator.summary.empty());
    for (const OptionSpec& key : generator.keys) {
      EXPECT_FALSE(key.help.empty()) << key.name;
      EXPECT_FALSE(key.group.empty()) << key.name;
      EXPECT_NO_THROW(check_option(key, generator.defaults.at(key.name)));
    }
  }
  EXPECT_EQ(names.size(), 3 + paper_shapes().size());
  EXPECT_EQ(names.count("csbm"), 1u);
  EXPECT_EQ(names.count("ogbn-arxiv"), 1u);
}

TEST(Synthetic, DefaultsAsListedAreTheDefaultsInUse) {
  const SyntheticGenerator& csbm = synthetic_generators().front();
  std::string spec = "synthetic:csbm?";
  for (const OptionSpec& key : csbm.keys) {
    spec += (spec.back() == '?' ? "" : "&") + key.name + "=" +
            value_text(csbm.defaults.at(key.name));
  }
  EXPECT_EQ(content_fingerprint(generate_synthetic(spec)),
            content_fingerprint(generate_synthetic("synthetic:csbm")));
}

TEST(Synthetic, ShapesTakeASeed) {
  const RawDataset a = generate_synthetic("synthetic:texas?seed=1&splits=3");
  const RawDataset b = generate_synthetic("synthetic:texas?seed=2&splits=3");
  EXPECT_EQ(a.splits.size(), 3u);
  EXPECT_NE(content_fingerprint(a), content_fingerprint(b));
  EXPECT_TRUE(
      contains(a.provenance.notes.back(), "synthetic:texas?seed=1&splits=3"));
}

TEST(Synthetic, NamesTheNearestGeneratorAndKey) {
  EXPECT_TRUE(contains(spec_error("synthetic:cbsm"), "did you mean 'csbm'"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?homofily=0.1"),
                       "did you mean 'homophily'"));
  EXPECT_TRUE(
      contains(spec_error("synthetic:texas?nodes=5"), "unknown key 'nodes'"));
  EXPECT_TRUE(contains(spec_error("synthetic:"), "unknown generator ''"));
  EXPECT_TRUE(contains(spec_error("texas"), "synthetic:NAME"));
}

TEST(Synthetic, SaysTheRangeOfABadValue) {
  EXPECT_TRUE(
      contains(spec_error("synthetic:csbm?nodes=1"),
               "option 'nodes' takes an integer from 2 to 100000000, got 1"));
  for (const char* value :
       {"", "x", "10.5", "1e3", " 10", "+10", "0x10", "99999999999999999999"}) {
    EXPECT_TRUE(
        contains(spec_error(std::string("synthetic:csbm?nodes=") + value),
                 fmt::format("option 'nodes' takes an integer from 2 to "
                             "100000000, got '{}'",
                             value)))
        << value;
  }
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?homophily=nan"),
                       "'homophily' takes a number from 0 to 1, got nan"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?directed=yes"),
                       "'directed' takes true or false, got 'yes'"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?seed=-1"),
                       "'seed' takes an integer from 0 to 2^64 - 1, got -1"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?seed=18446744073709551616"),
                       "got '18446744073709551616'"));
}

TEST(Synthetic, RefusesTextThatIsNoListOfSettings) {
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?nodes"), "key=value"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?nodes=5&&"), "key=value"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?=5"), "key=value"));
  EXPECT_TRUE(contains(spec_error("synthetic:csbm?seed=1&seed=1"),
                       "seed is given twice"));
  EXPECT_TRUE(
      contains(spec_error("synthetic:csbm?degree_spread=1&degree-spread=1"),
               "degree_spread is given twice"));
}

}  // namespace
}  // namespace ordered_gnn::data
