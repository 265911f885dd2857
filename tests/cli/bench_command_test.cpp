#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

// A generated graph of 300 nodes and a network of fractions of a millisecond.
std::vector<std::string> tiny_bench(std::vector<std::string> more = {}) {
  std::vector<std::string> arguments = {
      "bench",    "epoch", "--shape",   "300,900,12,3",
      "--layers", "2",     "--hidden",  "16",
      "--chunk",  "4",     "--repeats", "2"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

Json benched(std::vector<std::string> more = {}) {
  more.push_back("--json");
  const Outcome outcome = run_ognn(tiny_bench(std::move(more)));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  return Json::parse(outcome.out);
}

// Of the processes started while it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    ::setenv(name, value, /*overwrite=*/1);
  }
  ~Environment() { ::unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* const name_;
};

std::string bench_refusal(const std::vector<std::string>& arguments) {
  const Outcome outcome = run_ognn(arguments);
  EXPECT_EQ(outcome.status, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  return outcome.err;
}

TEST(BenchEpoch, PrintsOneJsonObject) {
  const Json json = benched();
  EXPECT_EQ(json.at("shape"), "300,900,12,3");
  EXPECT_EQ(json.at("layers"), 2);
  EXPECT_EQ(json.at("device"), "cpu");
  EXPECT_GE(json.at("threads"), 1);
  for (const char* key : {"ms_per_epoch", "ms_gemm_floor", "ms_unfused",
                          "peak_bytes", "gemm_gflop"}) {
    ASSERT_TRUE(json.at(key).is_number()) << key;
    EXPECT_GT(json.at(key), 0) << key;
  }
  for (const char* key : {"simd", "blas"}) {
    ASSERT_TRUE(json.at(key).is_string()) << key;
    EXPECT_NE(json.at(key), "") << key;
  }
  EXPECT_EQ(json.at("nodes"), 300);
  EXPECT_EQ(json.at("features"), 12);
  EXPECT_EQ(json.at("classes"), 3);
  EXPECT_EQ(json.at("repeats"), 2);
  EXPECT_EQ(json.at("config").at("hidden"), 16);
}

TEST(BenchEpoch, PartsThatWereNotAskedForAreNull) {
  const Json epoch = benched({"--parts", "epoch"});
  EXPECT_GT(epoch.at("ms_per_epoch"), 0);
  for (const char* key : {"ms_gemm_floor", "ms_own_products", "ms_unfused",
                          "unfused_peak_bytes"}) {
    EXPECT_TRUE(epoch.at(key).is_null()) << key;
  }
  const Json floor = benched({"--parts", "epoch,floor"});
  EXPECT_TRUE(floor.at("ms_gemm_floor").is_number());
  EXPECT_TRUE(floor.at("ms_unfused").is_null());
}

TEST(BenchEpoch, SaysWhatTheKernelsRanWith) {
  const Environment simd("OGNN_SIMD", "baseline");
  EXPECT_EQ(benched({"--parts", "epoch"}).at("simd"), "baseline");
  EXPECT_EQ(benched({"--parts", "epoch", "--threads", "1"}).at("threads"), 1);
}

TEST(BenchEpoch, AnUnknownInstructionSetIsRefused) {
  const Environment simd("OGNN_SIMD", "mmx");
  EXPECT_TRUE(contains(bench_refusal(tiny_bench()), "OGNN_SIMD"));
}

TEST(BenchEpoch, PrintsATableForReaders) {
  const Outcome outcome = run_ognn(tiny_bench({"--quiet"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  for (const char* part :
       {"300 nodes", "2 layers of width 16, 4 gates", "matrix products alone",
        "LibTorch's own ops", "peak memory"}) {
    EXPECT_TRUE(contains(outcome.out, part));
  }
}

TEST(BenchEpoch, TakesDatasetsAndSparseShapes) {
  const auto features_of = [](std::vector<std::string> graph) {
    graph.insert(graph.begin(), {"bench", "epoch", "--layers", "1", "--hidden",
                                 "8", "--repeats", "1", "--json"});
    return Json::parse(run_ognn(graph).out).at("features").get<int>();
  };
  EXPECT_EQ(features_of({"--data", "synthetic:csbm?nodes=60&features=8"}), 8);
  EXPECT_EQ(features_of({"--shape", "50,100,40,2,0.1"}), 40);
}

TEST(BenchEpoch, AShapeThatCannotBeRightIsRefused) {
  for (const char* shape : {"12,x", "1,2,3", "300,-900,12,3", "txas"}) {
    const std::string message =
        bench_refusal({"bench", "epoch", "--shape", shape});
    EXPECT_TRUE(contains(message, "nodes,edges,features,classes[,density]"));
    EXPECT_TRUE(contains(message, "not '" + std::string(shape) + "'"));
  }
  EXPECT_TRUE(contains(bench_refusal(tiny_bench({"--data", "synthetic:csbm"})),
                       "--shape and --data exclude each other"));
}

TEST(BenchEpoch, PartsAndRepeatsThatCannotBeRightAreRefused) {
  EXPECT_TRUE(contains(bench_refusal(tiny_bench({"--parts", "epoch,flor"})),
                       "--parts takes a list of epoch, floor and unfused, not "
                       "'flor'"));
  EXPECT_TRUE(contains(bench_refusal({"bench", "epoch", "--repeats", "0"}),
                       "--repeats"));
  EXPECT_TRUE(contains(bench_refusal(tiny_bench({"--gating", "none"})),
                       "--parts epoch,floor"));
  EXPECT_TRUE(contains(bench_refusal(tiny_bench({"--layrs", "3"})),
                       "did you mean '--layers'"));
}

TEST(Bench, NeedsASubcommand) {
  EXPECT_TRUE(contains(bench_refusal({"bench"}),
                       "'ognn bench' needs a subcommand: epoch"));
  EXPECT_TRUE(contains(run_ognn({"bench", "--help"}).out, "epoch"));
  EXPECT_TRUE(contains(run_ognn({"bench", "epoch", "--help"}).out, "--shape"));
}

std::vector<std::string> tiny_scale(const std::vector<std::string>& more) {
  std::vector<std::string> words = {
      "bench",    "scale", "--shape",  "3000,9000,8,3",
      "--ranks",  "4",     "--layers", "2",
      "--hidden", "16",    "--chunk",  "4",
      "--epochs", "1"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

TEST(BenchScale, PrintsOneJsonObject) {
  const Outcome outcome =
      run_ognn(tiny_scale({"--rank", "2", "--halo-ratio", "0.5", "--scale", "2",
                           "--bandwidth", "1", "--json"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("rank"), 2);
  EXPECT_EQ(json.at("scale"), 2);
  EXPECT_EQ(json.at("measured").at("nodes"), 375);
  const Json& modelled = json.at("modelled");
  EXPECT_GT(modelled.at("compute_seconds"), 0);
  EXPECT_GE(modelled.at("epoch_seconds"), modelled.at("compute_seconds"));
  EXPECT_GT(modelled.at("epoch_seconds_nothing_hidden"),
            modelled.at("epoch_seconds"));
  EXPECT_GT(modelled.at("memory_bytes"), 0);
}

TEST(BenchScale, SaysWhatIsModelledAndAtWhichScale) {
  const Outcome outcome = run_ognn(tiny_scale({"--scale", "2"}));
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "at 1/2 of its size"));
  EXPECT_TRUE(contains(outcome.out, "modelled"));
  EXPECT_TRUE(contains(outcome.out, "halo ratio 1 "));
}

TEST(BenchScale, RefusesWhatCannotBe) {
  EXPECT_TRUE(contains(bench_refusal(tiny_scale({"--rank", "4"})), "0 to 3"));
  EXPECT_TRUE(contains(bench_refusal({"bench", "scale", "--shape", "pubmed"}),
                       "at least 2"));
  EXPECT_TRUE(
      contains(bench_refusal({"bench", "scale", "--ranks", "2"}), "--shape"));
  EXPECT_TRUE(contains(
      bench_refusal({"bench", "scale", "--ranks", "2", "--shape", "nowhere"}),
      "ogbn-products"));
  EXPECT_TRUE(
      contains(bench_refusal({"bench", "scale", "--ranks", "2", "--shape",
                              "900000000000,1,900000000000,3"}),
               "more than a rank can be modelled of"));
  EXPECT_TRUE(contains(bench_refusal({"bench", "scale", "--shape", "pubmed",
                                      "--ranks", "4611686018427387904"}),
                       "250000"));
  EXPECT_TRUE(contains(bench_refusal(tiny_scale({"--model", "gat"})),
                       "does not run over parts"));
  // Parts are computed on threads of their own, which nobody pins.
  EXPECT_TRUE(contains(bench_refusal(tiny_scale({"--pin"})), "--pin"));
  const Outcome large =
      run_ognn({"bench", "scale", "--shape", "papers100M", "--ranks", "4",
                "--scale", "1", "--max-memory", "2G"});
  EXPECT_EQ(large.status, 1);
  EXPECT_TRUE(contains(large.err, "--max-memory 2.0 GB leaves"));
}

TEST(BenchNewNodes, PrintsOneJsonObject) {
  const Outcome outcome =
      run_ognn({"bench", "new-nodes", "--data",
                "synthetic:csbm?nodes=2000&degree=3", "--layers", "2",
                "--hidden", "16", "--new", "3", "--repeats", "1", "--json"});
  ASSERT_EQ(outcome.status, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json.at("new_nodes"), 3);
  EXPECT_LT(json.at("difference"), 1e-5);
  EXPECT_LT(json.at("computed_nodes"), 2000);
  EXPECT_GT(json.at("percent_of_all"), 0);
}

TEST(BenchCommand, TraceNamesOpsThreadsAndBlocks) {
  const TempDir folder;
  const std::string file = (folder.path() / "trace.json").string();
  const Json bench =
      benched({"--parts", "epoch", "--threads", "2", "--trace", file});
  EXPECT_GT(bench.at("serial_share").get<double>(), 0);
  EXPECT_LT(bench.at("serial_share").get<double>(), 1);
  EXPECT_GE(bench.at("forecasts").at("1"), bench.at("forecasts").at("16"));
  EXPECT_FALSE(bench.at("serial_pieces").empty());
  const Json trace = Json::parse(core::read_file(file));
  std::map<std::string, int> kinds;
  bool has_layer = false;
  for (const Json& event : trace.at("traceEvents")) {
    EXPECT_EQ(event.at("ph"), "X");
    EXPECT_GE(event.at("ts").get<double>(), 0);
    EXPECT_GE(event.at("dur").get<double>(), 0);
    EXPECT_TRUE(event.at("tid").is_number_integer());
    ++kinds[event.at("cat").get<std::string>()];
    has_layer |= event.at("name") == "ordered_gnn::ordered_layer" &&
                 event.at("cat") == "block";
  }
  EXPECT_TRUE(has_layer);
  EXPECT_GT(kinds["op"], 10);
  EXPECT_GT(kinds["loop"], 10);
  EXPECT_GE(kinds["block"], kinds["loop"]);
  // Without the option nothing is said of it.
  EXPECT_TRUE(benched({"--parts", "epoch"}).at("serial_share").is_null());
}

}  // namespace
}  // namespace ordered_gnn
