#include "ordered_gnn/train/run_options.h"

#include <gtest/gtest.h>
#include <torch/cuda.h>

#include <algorithm>
#include <set>

#include "ordered_gnn/nn/models.h"
#include "support/errors.h"

namespace ordered_gnn::training {
namespace {

TEST(RunOptions, EveryRowIsNamedOnceDescribedAndRoundTrips) {
  std::set<std::string> names;
  RunOptions options;
  for (const auto& row : run_option_table()) {
    EXPECT_TRUE(names.insert(row.spec.name).second) << row.spec.name;
    EXPECT_FALSE(row.spec.help.empty()) << row.spec.name;
    EXPECT_FALSE(row.spec.group.empty()) << row.spec.name;
    const Json value = row.get(options);
    check_option(row.spec, value);
    row.set(options, value);
    EXPECT_EQ(row.get(options), value) << row.spec.name;
  }
}

TEST(RunOptions, HasEveryOptionOfTheDesign) {
  const std::vector<std::string> names = option_names(run_option_table());
  for (const char* name : {"data",          "splits",     "model",
                           "layers",        "hidden",     "chunk",
                           "mlp-layers",    "gating",     "aggregator",
                           "tied-gates",    "norm",       "residual",
                           "dropout-theta", "dropout-xi", "l2-theta",
                           "l2-xi",         "lr",         "epochs",
                           "patience",      "input-norm", "self-loops",
                           "direction",     "features",   "split-set",
                           "seed",          "device",     "threads",
                           "workers",       "data-root",  "max-memory"}) {
    EXPECT_NE(std::find(names.begin(), names.end(), name), names.end()) << name;
  }
}

TEST(RunOptions, ThoseThatSayOnlyHowToExecuteAreMarked) {
  std::set<std::string> marked;
  const Json identity = run_identity(RunOptions{}, "f");
  for (const auto& row : run_option_table()) {
    if (!row.spec.execution_only) continue;
    marked.insert(row.spec.name);
    EXPECT_FALSE(identity.contains(row.spec.name)) << row.spec.name;
  }
  EXPECT_EQ(marked, (std::set<std::string>{"data-root", "layout-cache",
                                           "max-memory", "pin", "save-seconds",
                                           "splits", "threads", "workers"}));
}

TEST(RunOptions, JsonCarriesEveryField) {
  RunOptions options;
  options.network.layers = 3;
  options.network.gating = Gating::simple;
  options.train.l2_theta = 0.25;
  options.data.data = "texas";
  const RunOptions back = run_options_from_json(to_json(options));
  EXPECT_EQ(to_json(back), to_json(options));
  EXPECT_EQ(back.network.gating, Gating::simple);
}

TEST(RunOptions, UnderscoresAndCommentsAreAcceptedInKeys) {
  const RunOptions options = run_options_from_json(
      {{"dropout_theta", 0.25}, {"//", "a comment"}, {"// note", 3}});
  EXPECT_DOUBLE_EQ(options.network.dropout_theta, 0.25);
}

TEST(RunOptions, UnknownKeysSuggestTheNearest) {
  const std::string message = error_of([] {
    run_options_from_json({{"layer", 3}});
  });
  EXPECT_TRUE(contains(message, "did you mean 'layers'")) << message;
}

TEST(RunOptions, ValuesThatDoNotFitSayWhatTheyTake) {
  const auto refused = [](Json values) {
    return error_of([&] { run_options_from_json(values); });
  };
  EXPECT_TRUE(contains(refused({{"layers", 0}}),
                       "'layers' takes an integer from 1 to 10000, got 0"));
  EXPECT_TRUE(contains(refused({{"layers", 2.5}}), "got 2.5"));
  EXPECT_TRUE(contains(refused({{"lr", "fast"}}), "'lr' takes a number"));
  EXPECT_TRUE(contains(refused({{"tied-gates", 1}}), "true or false"));
  EXPECT_TRUE(contains(refused({{"gating", "soft"}}), "did you mean"));
}

TEST(RunOptions, CudaIsRefusedByABuildWithoutIt) {
  if (torch::cuda::is_available()) GTEST_SKIP() << "there is a CUDA device";
  RunOptions options;
  options.execution.device = Device::cuda;
  EXPECT_TRUE(contains(error_of([&] { validate(options); }), "CUDA"));
}

TEST(RunOptions, ShortenedFactorsAreForTheGpu) {
  RunOptions options;
  validate(options);
  options.execution.math = Math::tf32;
  EXPECT_THROW(validate(options), UsageError);
  EXPECT_TRUE(contains(error_of([&] { validate(options); }),
                       "--math tf32 is for GPUs"));
  EXPECT_THROW(parse_math("fp8"), UsageError);
}

TEST(RunOptions, RowsInSixteenBitsAreForModelsThatTakeThem) {
  RunOptions options;
  options.execution.math = Math::bf16;
  validate(options);
  options.model = "gcn";
  EXPECT_EQ(error_of([&] { validate(options); }),
            "--math bf16 is for ordered_gnn and mlp, not for gcn; use --math "
            "fp32");
}

TEST(RunOptions, WorkersShareTheCores) {
  RunOptions options;
  options.execution.threads = 2;
  validate(options);
  for (const int64_t workers : {0, 3}) {
    options.execution.workers = workers;
    options.execution.threads = 2;
    EXPECT_TRUE(contains(error_of([&] { validate(options); }),
                         "runs share the cores with --workers"));
    options.execution.threads = 1;
    validate(options);
    EXPECT_GE(num_workers(options.execution), std::max<int64_t>(1, workers));
  }
}

TEST(RunOptions, HowARunIsExecutedIsNotPartOfItsIdentity) {
  RunOptions options;
  const Json before = run_identity(options, "f");
  options.execution.threads = 1;
  options.execution.workers = 4;
  options.splits = "all";
  options.train.layout_cache = "somewhere";
  EXPECT_EQ(run_identity(options, "f"), before);
  options.train.lr *= 2;
  EXPECT_NE(run_identity(options, "f"), before);
}

TEST(RunOptions, ASplitFileIsKnownByItsSplitsAlone) {
  RunOptions options;
  const Json before = run_identity(options, "f");
  options.data.split_file = "/somewhere/s.npz";
  EXPECT_EQ(run_identity(options, "f"), before);
  EXPECT_EQ(to_json(options).at("split-file"), "/somewhere/s.npz");
}

TEST(RunOptions, OneLayerChoosesSplitsOnce) {
  const Json file = {{"split-file", "s.npz"}};
  const Json set = {{"split-set", "geom-gcn"}};
  EXPECT_EQ(run_options_from_layers({set, file}).data.split_set, "auto");
  EXPECT_EQ(run_options_from_layers({file, set}).data.split_file, "");
  Json both = file;
  both.update(set);
  EXPECT_TRUE(contains(error_of([&] { run_options_from_json(both); }),
                       "leave one of them out"));
}

TEST(ParseOption, ReadsWordsAsTheKindOfTheRow) {
  OptionSpec integer{"n", "", "", OptionKind::integer, {}};
  EXPECT_EQ(parse_option(integer, "12"), Json(12));
  EXPECT_TRUE(contains(error_of([&] { parse_option(integer, "12x"); }), "12x"));
  OptionSpec real{"x", "", "", OptionKind::real, {}};
  EXPECT_EQ(parse_option(real, "5e-4"), Json(5e-4));
  EXPECT_NE(error_of([&] { parse_option(real, "nan"); }), "");
  OptionSpec flag{"f", "", "", OptionKind::flag, {}};
  EXPECT_EQ(parse_option(flag, "off"), Json(false));
  EXPECT_NE(error_of([&] { parse_option(flag, "maybe"); }), "");
}

TEST(RunOptions, AModelBringsTheDefaultsOfItsPaper) {
  const RunOptions gcn = run_options_from_json({{"model", "gcn"}});
  EXPECT_EQ(gcn.model, "gcn");
  EXPECT_EQ(gcn.network.layers, 2);
  EXPECT_EQ(gcn.network.hidden, 16);
  EXPECT_EQ(gcn.data.treatment.self_loops, SelfLoops::add);
  // Values win over them wherever they stand.
  const RunOptions wide =
      run_options_from_json({{"hidden", 48}, {"model", "gcn"}, {"lr", 0.5}});
  EXPECT_EQ(wide.network.hidden, 48);
  EXPECT_DOUBLE_EQ(wide.train.lr, 0.5);
  EXPECT_EQ(wide.network.layers, 2);
}

TEST(RunOptions, LaterLayersWinAndTheLastModelGivesTheDefaults) {
  const Json recipe = {{"model", "gcn"}, {"hidden", 48}, {"lr", 0.5}};
  const RunOptions options =
      run_options_from_layers({recipe, {{"model", "sgc"}, {"lr", 0.25}}});
  EXPECT_EQ(options.model, "sgc");
  EXPECT_EQ(options.network.hidden, 48);
  EXPECT_DOUBLE_EQ(options.train.lr, 0.25);
  EXPECT_EQ(options.network.hops, 2);
  EXPECT_EQ(options.data.treatment.self_loops, SelfLoops::add);
  // What only the first model changes is back at the program's default.
  EXPECT_EQ(options.network.layers, RunOptions{}.network.layers);
  EXPECT_EQ(to_json(run_options_from_layers({})), to_json(RunOptions{}));
}

TEST(RunOptions, TheDefaultsOfEveryModelAreSound) {
  for (const ModelEntry& entry : model_table()) {
    const RunOptions options = run_options_from_json({{"model", entry.name}});
    EXPECT_EQ(error_of([&] { validate(options); }), "") << entry.name;
    const Json json = to_json(options);
    for (const auto& [name, value] : entry.defaults.items()) {
      EXPECT_EQ(json.at(name), value) << entry.name << ' ' << name;
    }
    // Values that hold every key, as in checkpoints, stay what they are.
    Json all = json;
    all["hidden"] = 96;
    EXPECT_EQ(to_json(run_options_from_json(all)), all) << entry.name;
  }
}

TEST(RunOptions, AModelThatIsNoneIsRefusedAsAnyValue) {
  EXPECT_TRUE(contains(error_of([] {
                         run_options_from_json({{"model", "gcm"}});
                       }),
                       "did you mean"));
  EXPECT_TRUE(contains(error_of([] {
                         run_options_from_json({{"model", 3}});
                       }),
                       "'model' takes"));
}

TEST(RunOptions, OptionsAddedLaterDoNotChangeTheIdentityOfOlderRuns) {
  RunOptions options;
  const Json plain = run_identity(options, "f");
  EXPECT_FALSE(plain.contains("heads"));
  EXPECT_FALSE(plain.contains("drop-edge"));
  EXPECT_FALSE(plain.contains("eval-every"));
  options.network.heads = 4;
  options.train.drop_edge = 0.1;
  EXPECT_EQ(run_identity(options, "f").at("heads"), 4);
  EXPECT_EQ(run_identity(options, "f").at("drop-edge"), 0.1);
}

TEST(RunOptions, PinIsForOneRunAtATimeOnTheCpu) {
  RunOptions options;
  options.data.data = "x";
  options.execution.pin = true;
  validate(options);
  options.execution.workers = 2;
  EXPECT_TRUE(contains(error_of([&] { validate(options); }),
                       "--pin is for one run at a time"));
}

TEST(RunOptions, ThreadsMayBeAutoOnTheCommandLine) {
  const auto& row = find_option(run_option_table(), "option", "threads");
  EXPECT_EQ(parse_option(row.spec, "auto"), Json(0));
  EXPECT_EQ(parse_option(row.spec, "3"), Json(3));
  EXPECT_EQ(error_of([&] { parse_option(row.spec, "all"); }),
            "option 'threads' takes an integer from 0 to 4096 or auto, got "
            "'all'");
}

}  // namespace
}  // namespace ordered_gnn::training
