#include "lab/sweep/spec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "core/affixes.h"
#include "lab/runs/recipes.h"
#include "ordered_gnn/nn/models.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn::lab {
namespace {

class SweepFile : public testing::Test {
 protected:
  SweepSpec read(const std::string& text) {
    write_text(dir_ / "sweep.json", text);
    return read_sweep(dir_ / "sweep.json");
  }
  std::string error_in(const std::string& text) {
    return error_of([&] { settings_of(read(text)); });
  }

  TempDir dir_;
};

TEST_F(SweepFile, EveryKeyIsRead) {
  write_text(dir_ / "recipes/base.json",
             R"({"data": "texas", "lr": 0.5, "layers": 3, "seed": 1})");
  const SweepSpec spec = read(R"({
    "//": "a comment",
    "base": "recipes/base.json",
    "fixed": {"splits": "0-4", "layers": 5},
    "search": {"lr": [0.1, 0.2]},
    "seeds": [7, 8],
    "method": "halving", "trials": 9, "search-seed": 4,
    "eta": 2, "budget": "epochs", "min-budget": 10
  })");
  EXPECT_EQ(spec.base.data.data, "texas");
  EXPECT_EQ(spec.base.splits, "0-4");
  EXPECT_EQ(spec.base.network.layers, 5);
  EXPECT_EQ(seeds_of(spec), (std::vector<int64_t>{7, 8}));
  EXPECT_EQ(spec.method, SearchMethod::halving);
  EXPECT_EQ(spec.trials, 9);
  EXPECT_EQ(spec.search_seed, 4);
  EXPECT_EQ(spec.eta, 2);
  EXPECT_EQ(spec.budget, Budget::epochs);
  EXPECT_EQ(spec.min_budget, 10);
  EXPECT_EQ(settings_of(spec).size(), 2u);
}

TEST_F(SweepFile, StartsAreTriedFirstAndOthersAroundThem) {
  const std::string text = R"({
    "fixed": {"data": "texas", "epochs": 7},
    "search": {"layers": [1, 2, 3, 4], "lr": [0.1, 0.2, 0.3, 0.4],
               "hidden+chunk": [[64, 4], [128, 8], [256, 16]]},
    "starts": {"2": {"lr": 0.3}, "1": {"layers": 7, "hidden": 32}, "3": {}},
    "method": "random", "try-base": true, "trials": TRIALS})";
  const auto with_trials = [&](int trials) {
    std::string own = text;
    own.replace(own.find("TRIALS"), 6, std::to_string(trials));
    return settings_of(read(own));
  };
  const std::vector<Setting> settings = with_trials(12);
  ASSERT_EQ(settings.size(), 13u);
  const Json base = to_json(settings[0]);
  Json first = base, second = base;
  first["layers"] = 7;
  first["hidden"] = 32;
  second["lr"] = 0.3;
  // The third is the base, which is there already.
  EXPECT_EQ(to_json(settings[1]), first);
  EXPECT_EQ(to_json(settings[2]), second);
  std::set<std::string> distinct;
  const std::vector<Json> around = {first, second, base};
  for (size_t i = 0; i < settings.size(); ++i) {
    const Json setting = to_json(settings[i]);
    distinct.insert(setting.dump());
    if (i < 3) continue;
    // Each has something of the start it was drawn around, tied options
    // together.
    const bool tied =
        setting["hidden"] == 32 ||
        setting["hidden"].get<int>() == 16 * setting["chunk"].get<int>();
    EXPECT_TRUE(tied || setting["chunk"] == base["chunk"]) << setting;
  }
  EXPECT_EQ(distinct.size(), settings.size());
  // More trials go on where fewer ended, and fewer starts than there are are
  // the first ones.
  const std::vector<Setting> fewer = with_trials(5);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), settings.begin()));
  EXPECT_EQ(with_trials(1).size(), 2u);
}

TEST_F(SweepFile, StartsThatDoNotFitAreNamed) {
  const std::string rest = R"("search": {"lr": [1, 2]}, "method": "random",
    "trials": 2})";
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({"starts": [], )", "must be an object of names"},
      {R"({"starts": {"a": 1}, )", "the start 'a' is no object"},
      {R"({"starts": {"a": {"layers": 2}}, )",
       "the start 'a' has the option 'layers', which is not searched"},
      {R"({"starts": {"a": {"lr": "fast"}}, )", "takes a number"},
  };
  for (const auto& [start, part] : cases) {
    const std::string error = error_in(start + rest);
    EXPECT_TRUE(contains(error, part)) << error;
  }
  EXPECT_TRUE(contains(error_in(R"({"starts": {"a": {"lr": 1}},
                                    "search": {"lr": [1, 2]}})"),
                       "\"starts\" needs \"trials\""));
}

TEST_F(SweepFile, MistakesAreNamed) {
  const std::vector<std::pair<const char*, const char*>> cases = {
      {R"({)", "is no JSON"},
      {R"([])", "must hold one JSON object"},
      {R"({})", "has no \"search\""},
      {R"({"serach": {"lr": [1]}})", "did you mean 'search'"},
      {R"({"search": {"lr": [1]}, "methd": "grid"})", "did you mean 'method'"},
      {R"({"search": {"lr": [1]}, "method": "magic"})", "one of grid"},
      {R"({"search": {"lr": [1]}, "trials": -1, "method": "random"})",
       "trials"},
      {R"({"search": {"lr": [1]}, "trials": "many"})", "trials"},
      {R"({"search": {"lr": [1]}, "trials": 3})", "goes with the methods"},
      {R"({"search": {"lr": [1]}, "method": "random"})", "needs \"trials\""},
      {R"({"search": {"lr": [1]}, "eta": 1})", "eta"},
      {R"({"search": {"lr": [1]}, "min-budget": 0})", "min-budget"},
      {R"({"search": {"lr": [1]}, "base": 3})", "path of a recipe"},
      {R"({"search": {"lr": [1]}, "base": "none.json"})", "none.json"},
      {R"({"search": {"lr": [1]}, "fixed": []})", "must be an object"},
      {R"({"search": {"lr": [1]}, "fixed": {"lr": 2}})", "fixed and searched"},
      {R"({"search": {"lr": [1]}, "fixed": {"layer": 2}})", "'layers'"},
      {R"({"search": {"lr": [1]}, "fixed": {"layers": "x"}})", "an integer"},
      {R"({"search": {"lr": [1]}, "seeds": []})", "at least one"},
      {R"({"search": {"lr": [1]}, "seeds": 3})", "at least one"},
      {R"({"search": {"lr": [1]}, "seeds": [1.5]})", "seed"},
      {R"({"search": {"lr": [1]}, "seeds": [1, 1]})", "twice"},
      {R"({"search": {"seed": [1]}, "seeds": [2]})", "exclude each other"},
      {R"({"search": {"lr": [1]}, "each": {"lr": [2]}})", "and searched"},
      {R"({"search": {"lr": [1]}, "each": {"layers": [2]},
           "fixed": {"layers": 3}})",
       "fixed and in \"each\""},
      {R"({"search": {"lr": [1]}, "each": {"seed": [2]}})", "\"seeds\""},
      {R"({"search": {"lr": [1]}, "each": []})", "\"each\" must be"},
      {R"({"search": {"lr": [1]}, "each": {"l2-xi": {"min": 1, "max": 2}}})",
       "needs a \"step\""},
      {R"({"search": {"lr": [1]}, "try-base": "yes"})", "try-base"},
      {R"({"search": {"epochs": [1, 2]}, "method": "halving",
           "budget": "epochs"})",
       "use the budget"},
      {R"({"search": {"lr": {"min": 1, "max": 2}}, "method": "halving"})",
       "needs a \"step\""},
  };
  for (const auto& [text, part] : cases) {
    EXPECT_TRUE(contains(error_in(text), part)) << text;
  }
  EXPECT_TRUE(contains(error_in("{}"), "sweep.json"));
  EXPECT_TRUE(
      contains(error_of([&] { read_sweep(dir_ / "no.json"); }), "no.json"));
}

TEST_F(SweepFile, TheBaseIsTheFirstTrialAndNotDrawnAgain) {
  const char* const text = R"({"fixed": {"layers": 3}, "try-base": true,
    "search": {"lr": [0.1, 0.005, 0.2], "dropout-xi": [0, 0.1]}})";
  SweepSpec spec = read(text);
  spec.base.train.lr = 0.005;
  spec.base.network.dropout_xi = 0;
  const std::vector<Setting> settings = settings_of(spec);
  ASSERT_EQ(settings.size(), 6u);
  EXPECT_EQ(to_json(settings[0]), Json::parse(R"({"lr": 0.005,
                                                  "dropout-xi": 0})"));
  spec.base.train.lr = 0.7;  // not in the lists
  EXPECT_EQ(settings_of(spec).size(), 7u);
  SweepSpec other = spec;
  other.base.train.lr = 0.8;
  EXPECT_NE(sweep_identity(spec, "f"), sweep_identity(other, "f"));
}

TEST_F(SweepFile, AModelOfTheCommandLineBringsItsDefaults) {
  SweepSpec spec = read(R"({"search": {"lr": [1]}, "fixed": {"hidden": 24}})");
  override_base({{"model", "gcn"}}, spec);
  EXPECT_EQ(spec.base.model, "gcn");
  EXPECT_EQ(spec.base.network.hidden, 24);
  EXPECT_EQ(spec.base.network.layers, 2);
  EXPECT_EQ(spec.base.train.epochs, 200);
}

TEST_F(SweepFile, ABuiltInFileFindsItsBuiltInBase) {
  EXPECT_EQ(read_sweep("search/tuned/actor").base.data.data, "actor");
  EXPECT_EQ(read_sweep("search/tuned/actor", "table2/texas").base.data.data,
            "texas");
}

TEST_F(SweepFile, ASweepFileMayBeTheBaseOfAnother) {
  write_text(dir_ / "recipe.json", R"({"data": "texas", "layers": 3})");
  write_text(dir_ / "all.json", R"({
    "base": "recipe.json", "fixed": {"hidden": 32, "splits": "all"},
    "search": {"lr": [0.1, 0.2], "dropout-xi": [0, 0.1]},
    "method": "random", "trials": 3,
    "for": {"one": {}, "two": {"search": {"l2_xi": [0, 1], "lr": null}}}})");
  const SweepSpec spec = read(R"({"base": "all/two.json", "trials": 2,
    "fixed": {"hidden": 64}, "search": {"dropout-xi": [0.2, 0.3]}})");
  EXPECT_EQ(spec.space.json(),
            Json::parse(R"({"dropout-xi": [0.2, 0.3], "l2-xi": [0, 1]})"));
  EXPECT_EQ(spec.base.data.data, "texas");
  EXPECT_EQ(spec.base.network.layers, 3);
  EXPECT_EQ(spec.base.network.hidden, 64);
  EXPECT_EQ(spec.base.splits, "all");
  EXPECT_EQ(spec.method, SearchMethod::random);
  EXPECT_EQ(spec.trials, 2);
  // A recipe given instead takes the place of the one at the end.
  const SweepSpec other = read_sweep(dir_ / "sweep.json", "table2/actor");
  EXPECT_EQ(other.base.data.data, "actor");
  EXPECT_EQ(other.base.network.layers, 8);
  EXPECT_EQ(other.base.network.hidden, 64);
  EXPECT_TRUE(contains(error_in(R"({"base": "all/three.json"})"),
                       "base 'all/three.json': there is no such file"));
  write_text(dir_ / "all.json", R"({"search": {"lr": [1]}, "methd": "grid"})");
  EXPECT_TRUE(contains(error_in(R"({"base": "all.json"})"), "all.json: "));
}

TEST_F(SweepFile, ARecipeGivenInsteadNeedsNoOther) {
  write_text(dir_ / "sweep.json",
             R"({"base": "gone.json", "search": {"lr": [1]}})");
  EXPECT_EQ(read_sweep(dir_ / "sweep.json", "table2/texas").base.data.data,
            "texas");
}

TEST_F(SweepFile, ThePapersSpacesAreWhole) {
  const std::filesystem::path folder =
      std::filesystem::path(ORDERED_GNN_RECIPES) / "search";
  const auto size = [&](const char* name) {
    return settings_of(read_sweep(folder / name)).size();
  };
  // Dropout and L2 twice each (theta, xi), learning rates, input layers.
  EXPECT_EQ(size("homophily-heterophily.json"), 5u * 5 * 4 * 4 * 3 * 3);
  EXPECT_EQ(size("over-smoothing.json"), 6u * 6 * 5 * 5 * 3 * 2);
  EXPECT_EQ(size("large.json"), 4u * 4 * 3 * 3);
}

TEST_F(SweepFile, EverySystemHasASpaceWithTheSameEffort) {
  const SweepSpec first = read_sweep("search/systems/gcn");
  size_t spaces = 0;
  for (const std::string& model : builtin_recipe_names()) {
    if (model.rfind("search/systems/", 0) != 0) continue;
    ++spaces;
    const SweepSpec spec = read_sweep(model);
    EXPECT_EQ(spec.trials, first.trials) << model;
    EXPECT_EQ(spec.method, first.method) << model;
    EXPECT_EQ(spec.eta, first.eta) << model;
    EXPECT_EQ(spec.min_budget, first.min_budget) << model;
    if (spec.base.model != "label_propagation") {  // has nothing to train
      EXPECT_EQ(spec.base.train.epochs, first.base.train.epochs) << model;
      EXPECT_EQ(spec.base.train.patience, first.base.train.patience) << model;
    }
    EXPECT_TRUE(spec.try_base) << model;
    const std::vector<Setting> settings = settings_of(spec);
    // The base comes on top.
    EXPECT_EQ(settings.size(), static_cast<size_t>(spec.trials) + 1) << model;
    for (const Setting& setting : settings) {
      RunOptions options = spec.base;
      apply_json(run_option_table(), to_json(setting), options);
      EXPECT_EQ(error_of([&] { validate(options); }), "") << model;
    }
  }
  EXPECT_EQ(spaces, 30u);
}

TEST_F(SweepFile, ASystemsSpaceStartsFromItsRecipe) {
  const SweepSpec spec =
      read_sweep("search/systems/ggcn", "systems/ggcn/texas");
  EXPECT_EQ(spec.base.data.data, "texas");
  const Json first = to_json(settings_of(spec).front());
  EXPECT_EQ(first.at("layers"), 2);
  EXPECT_EQ(first.at("dropout-theta"), 0.4);
  EXPECT_EQ(first.at("direction"), "reversed");
}

TEST_F(SweepFile, TheIdentityTellsSearchesApartButNotTheirExecution) {
  const char* const text =
      R"({"fixed": {"data": "texas"}, "search": {"lr": [0.1, 0.2]}})";
  const SweepSpec spec = read(text);
  SweepSpec same = spec;
  same.base.execution.threads = 3;
  same.base.execution.workers = 2;
  same.base.train.lr = 9;  // searched, so what it was does not matter
  EXPECT_EQ(sweep_identity(spec, "f"), sweep_identity(same, "f"));
  SweepSpec other = spec;
  other.space = SearchSpace(Json::parse(R"({"lr": [0.1]})"));
  EXPECT_NE(sweep_identity(spec, "f"), sweep_identity(other, "f"));
  other = spec;
  other.base.splits = "1";
  EXPECT_NE(sweep_identity(spec, "f"), sweep_identity(other, "f"));
  other = spec;
  other.seeds = {3};
  EXPECT_NE(sweep_identity(spec, "f"), sweep_identity(other, "f"));
  EXPECT_NE(sweep_identity(spec, "f"), sweep_identity(spec, "g"));
}

}  // namespace
}  // namespace ordered_gnn::lab
