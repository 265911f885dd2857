#include "lab/sweep/search_space.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "support/errors.h"

namespace ordered_gnn::lab {
namespace {

SearchSpace space_of(const char* text) {
  return SearchSpace(Json::parse(text));
}

std::string error_in(const char* text) {
  return error_of([&] { space_of(text); });
}

std::vector<std::string> texts(const std::vector<Setting>& settings) {
  std::vector<std::string> out;
  for (const Setting& setting : settings)
    out.push_back(to_json(setting).dump());
  return out;
}

TEST(SearchSpace, AGridIsEveryCombinationTheLastOptionVaryingFastest) {
  const SearchSpace space = space_of(
      R"({"//": "note", "lr": [0.1, 0.2], "gating": ["none", "softor"],
          "tied_gates": [true]})");
  EXPECT_EQ(space.names(),
            (std::vector<std::string>{"gating", "lr", "tied-gates"}));
  EXPECT_EQ(space.size(), 4);
  EXPECT_EQ(texts(space.grid()),
            (std::vector<std::string>{
                R"({"gating":"none","lr":0.1,"tied-gates":true})",
                R"({"gating":"none","lr":0.2,"tied-gates":true})",
                R"({"gating":"softor","lr":0.1,"tied-gates":true})",
                R"({"gating":"softor","lr":0.2,"tied-gates":true})"}));
}

TEST(SearchSpace, StepsAreWrittenOut) {
  EXPECT_EQ(space_of(R"({"layers": {"min": 2, "max": 9, "step": 3}})").json(),
            Json::parse(R"({"layers": [2, 5, 8]})"));
  EXPECT_EQ(
      space_of(R"({"dropout-xi": {"min": 0, "max": 0.3, "step": 0.1}})").json(),
      Json::parse(R"({"dropout-xi": [0.0, 0.1, 0.2, 0.3]})"));
}

TEST(SearchSpace, OptionsJoinedByPlusAreSetTogether) {
  const SearchSpace space = space_of(
      R"({"dropout-theta+dropout-xi": [[0, 0], [0.1, 0.2]], "layers": [2, 4]})");
  EXPECT_EQ(space.size(), 4);
  EXPECT_EQ(texts(space.grid())[2],
            R"({"dropout-theta":0.1,"dropout-xi":0.2,"layers":2})");
  EXPECT_EQ(space.json()["dropout-theta+dropout-xi"][1],
            Json::parse("[0.1, 0.2]"));
}

TEST(SearchSpace, ASampleOfAListedSpaceHasNoSettingTwiceAndEnds) {
  const SearchSpace space =
      space_of(R"({"lr": [0.1, 0.2, 0.3], "layers": [1, 2, 3, 4]})");
  const std::vector<std::string> all = texts(space.sample(7, 1000));
  EXPECT_EQ(all.size(), 12u);
  EXPECT_EQ(std::set<std::string>(all.begin(), all.end()).size(), 12u);
  EXPECT_NE(all, texts(space.grid()));
  EXPECT_NE(all, texts(space.sample(8, 1000)));
}

TEST(SearchSpace, ALongerSampleBeginsWithTheShorterOne) {
  for (
      const char* text :
      {R"({"lr": [0.1, 0.2, 0.3], "layers": [1, 2, 3, 4]})",
       R"({"lr": {"min": 0.001, "max": 0.1, "scale": "log"}, "layers": [2, 4]})"}) {
    const SearchSpace space = space_of(text);
    const std::vector<std::string> few = texts(space.sample(3, 5));
    std::vector<std::string> more = texts(space.sample(3, 11));
    ASSERT_EQ(more.size(), 11u);
    more.resize(5);
    EXPECT_EQ(few, more);
  }
}

TEST(SearchSpace, DrawsFromARangeStayInItAndCoverIt) {
  const SearchSpace space = space_of(
      R"({"lr": {"min": 0.0001, "max": 1, "scale": "log"},
          "dropout-xi": {"min": 0.2, "max": 0.4},
          "layers": {"min": 2, "max": 4},
          "hidden": {"min": 1, "max": 1024, "scale": "log"}})");
  EXPECT_TRUE(std::isinf(space.size()));
  int low_decades = 0, narrow = 0;
  std::set<int64_t> layers;
  const std::vector<Setting> draws = space.sample(1, 400);
  ASSERT_EQ(draws.size(), 400u);
  for (const Setting& setting : draws) {
    const Json json = to_json(setting);
    const double lr = json["lr"], dropout = json["dropout-xi"];
    EXPECT_TRUE(lr >= 0.0001 && lr <= 1) << lr;
    EXPECT_TRUE(dropout >= 0.2 && dropout <= 0.4) << dropout;
    EXPECT_TRUE(json["layers"].is_number_integer());
    layers.insert(json["layers"].get<int64_t>());
    low_decades += lr < 0.01;
    narrow += json["hidden"].get<int64_t>() < 32;
  }
  EXPECT_EQ(layers, (std::set<int64_t>{2, 3, 4}));
  EXPECT_NEAR(low_decades, 200, 50);
  EXPECT_NEAR(narrow, 200, 50);
}

TEST(SearchSpace, ARangeOfFewWholeNumbersIsUsedUp) {
  EXPECT_EQ(
      space_of(R"({"layers": {"min": 2, "max": 4}})").sample(1, 50).size(), 3u);
}

TEST(SearchSpace, AGridOfARangeOrOfTooManyIsRefused) {
  EXPECT_TRUE(contains(
      error_of([] { space_of(R"({"lr": {"min": 0.1, "max": 0.2}})").grid(); }),
      "needs a \"step\" in the range of 'lr'"));
  EXPECT_TRUE(contains(error_of([] {
                         space_of(
                             R"({"lr": {"min": 0.001, "max": 1, "step": 0.001},
                     "l2-xi": {"min": 0, "max": 1, "step": 0.001}})")
                             .grid();
                       }),
                       "1001000 settings, at most 100000"));
}

TEST(SearchSpace, DrawsAroundSettingsKeepAboutHalfOfThem) {
  Json search = Json::object();
  for (const char* name : {"lr", "l2-theta", "l2-xi", "dropout-xi"}) {
    for (int i = 0; i < 50; ++i) search[name].push_back(i / 100.0);
  }
  const SearchSpace space(search);
  const Setting near = {
      {"dropout-xi", 0.9}, {"l2-theta", 0.9}, {"l2-xi", 0.9}, {"lr", 0.9}};
  const std::vector<Setting> drawn = space.sample_around({near}, 1, 200);
  ASSERT_EQ(drawn.size(), 200u);
  int kept = 0;
  for (const Setting& setting : drawn) {
    for (const auto& [name, value] : setting) kept += value == 0.9 ? 1 : 0;
    EXPECT_NE(setting, near);
  }
  EXPECT_NEAR(kept / 800.0, 0.5, 0.1);
  const std::vector<Setting> fewer = space.sample_around({near}, 1, 20);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), drawn.begin()));
  // A space that is used up ends.
  const SearchSpace small(Json{{"layers", {1, 2}}, {"lr", {0.1, 0.2}}});
  EXPECT_EQ(small.sample_around({{{"layers", 1}, {"lr", 0.1}}}, 1, 50).size(),
            3u);
}

TEST(SearchSpace, MistakesAreNamed) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"([])", "must be an object"},
      {R"({"//": 1})", "is empty"},
      {R"({"lrr": [1]})", "did you mean 'lr'"},
      {R"({"lr": []})", "'lr': has an empty list"},
      {R"({"lr": 0.1})", "takes a list of values or"},
      {R"({"lr": [0.1, 0.1]})", "has 0.1 twice"},
      {R"({"layers": [0.5]})", "takes an integer"},
      {R"({"lr": ["fast"]})", "takes a number"},
      {R"({"lr": [-1]})", "from 0 to 1000"},
      {R"({"gating": ["softer"]})", "did you mean 'softor'"},
      {R"({"gating": {"min": 0, "max": 1}})", "takes a list of values"},
      {R"({"lr": {"min": 0.1}})", "needs both"},
      {R"({"lr": {"min": 0.2, "max": 0.1}})", "not below its \"max\""},
      {R"({"lr": {"min": 0.1, "max": 0.2, "stpe": 1}})", "did you mean 'step'"},
      {R"({"lr": {"min": 0, "max": 1, "scale": "log"}})", "above 0"},
      {R"({"lr": {"min": 1, "max": 2, "scale": "cubic"}})", "\"cubic\""},
      {R"({"lr": {"min": 1, "max": 2, "scale": 3}})", "got 3"},
      {R"({"lr": {"min": 1, "max": 2, "step": 0}})", "above 0"},
      {R"({"lr": {"min": 1, "max": 2, "step": 1e-12}})", "at most"},
      {R"({"lr": {"min": 1, "max": 2, "step": 1, "scale": "log"}})", "linear"},
      {R"({"layers": {"min": 1, "max": 2, "step": 0.5}})", "without fraction"},
      {R"({"lr": [0.1], "lr+layers": [[0.1, 2]]})", "'lr' twice"},
      {R"({"lr+layers": [[0.1]]})", "lists of 2 values"},
      {R"({"lr+layers": [0.1]})", "lists of 2 values"},
      {R"({"lr+layers": {"min": 1, "max": 2}})", "takes a list of values"},
      {R"({"lr+": [[0.1, 1]]})", "unknown option ''"},
      {R"({"workers": [1, 2]})", "cannot be searched"},
      {R"({"metric": ["accuracy"]})", "cannot be searched"},
  };
  for (const auto& [text, part] : cases) {
    EXPECT_TRUE(contains(error_in(text), part)) << text;
  }
}

}  // namespace
}  // namespace ordered_gnn::lab
