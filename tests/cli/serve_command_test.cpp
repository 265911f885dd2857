#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "lab/serve/http_server.h"
#include "ordered_gnn/core/options.h"
#include "support/errors.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

// A graph and a model of it.
class ServeCommand : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(run_ognn({"data", "generate",
                        "csbm?nodes=60&classes=3&features=4&degree=4&splits=1",
                        "--out", file("g.npz"), "--quiet"})
                  .status,
              0);
    ASSERT_EQ(
        run_ognn({"train", "--data", file("g.npz"), "--layers", "2", "--hidden",
                  "16", "--epochs", "3", "--out", file("run"), "--quiet"})
            .status,
        0);
  }
  std::string file(const std::string& name) const {
    return (dir_ / name).string();
  }
  std::vector<std::string> serve(std::vector<std::string> more) const {
    std::vector<std::string> out = {"serve", "--checkpoint",
                                    file("run/split-0/model.safetensors"),
                                    "--data", file("g.npz")};
    out.insert(out.end(), more.begin(), more.end());
    return out;
  }
  const TempDir dir_;
};

TEST_F(ServeCommand, HasNoLoopsToPin) {
  write_text(file("none.jsonl"), "");
  const Outcome refused =
      run_ognn(serve({"--pin", "--apply", file("none.jsonl"), "--quiet"}));
  EXPECT_EQ(refused.status, 2) << refused.err;
  EXPECT_TRUE(contains(refused.err, "--pin"));
}

TEST_F(ServeCommand, AppliesChangesAndWritesWhatPredictReads) {
  write_text(file("changes.jsonl"),
             "{\"add_nodes\": [{\"features\": [1, 2, 3, 4], \"label\": 1}],"
             " \"add_edges\": [[60, 3]]}\n\n"
             "{\"remove_nodes\": [5]}\n");
  const Outcome done =
      run_ognn(serve({"--apply", file("changes.jsonl"), "--export",
                      file("now.npz"), "--json", "--quiet"}));
  ASSERT_EQ(done.status, 0) << done.err;
  EXPECT_EQ(Json::parse(done.out)["sequence"], 2);
  const Outcome said = run_ognn(
      {"predict", "--checkpoint", file("run/split-0/model.safetensors"),
       "--data", file("now.npz"), "--out", file("pred.csv"), "--quiet"});
  ASSERT_EQ(said.status, 0) << said.err;
  const std::string rows = core::read_file(file("pred.csv"));
  EXPECT_TRUE(contains(rows, "\n60,"));
  EXPECT_FALSE(contains(rows, "\n5,"));
  // The changes stay, whatever starts next.
  const Outcome again =
      run_ognn(serve({"--export", file("now2.npz"), "--json", "--quiet"}));
  EXPECT_EQ(Json::parse(again.out)["sequence"], 2);
  EXPECT_EQ(core::read_file(file("now.npz")),
            core::read_file(file("now2.npz")));
}

TEST_F(ServeCommand, NamesTheLineOfAChangeThatDoesNotFit) {
  write_text(file("changes.jsonl"),
             "{\"remove_nodes\": [5]}\n{\"remove_nodes\": [5]}\n");
  const Outcome done =
      run_ognn(serve({"--apply", file("changes.jsonl"), "--quiet"}));
  EXPECT_EQ(done.status, 1);
  EXPECT_TRUE(
      contains(done.err, "changes.jsonl:2: remove_nodes[0]: there is no node"));
}

// Columns of a user's table go through the treatment that the model has learnt
// with, as those of predict --add-nodes do.
TEST(ServeColumns, AreTreatedAsInTraining) {
  const TempDir dir;
  const auto file = [&](const char* name) { return (dir / name).string(); };
  std::string nodes = "customer,age,city,joined,vip,churn\n",
              edges = "from,to\n";
  for (int i = 0; i < 90; ++i) {
    nodes += "c" + std::to_string(i) + "," + std::to_string(20 + i * 7 % 50) +
             (i % 3 == 0 ? ",Kyiv" : ",Lviv") + ",2023-0" +
             std::to_string(1 + i % 9) + "-11," + (i % 2 == 0 ? "yes" : "no") +
             (i % 4 == 0 ? ",left\n" : ",stays\n");
    edges +=
        "c" + std::to_string(i) + ",c" + std::to_string(i * 11 % 90) + "\n";
  }
  write_text(file("n.csv"), nodes);
  write_text(file("e.csv"), edges);
  write_text(file("new.csv"),
             "customer,age,city,joined,vip\neve,31,Kyiv,2024-02-03,yes\n");
  write_text(file("new_edges.csv"), "source,target\neve,c1\n");
  write_text(
      file("changes.jsonl"),
      "{\"add_nodes\": [{\"id\": \"eve\", \"columns\": {\"age\": 31, "
      "\"city\": \"Kyiv\", \"joined\": \"2024-02-03\", \"vip\": true}}], "
      "\"add_edges\": [[\"eve\", \"c1\"]]}\n");
  const std::string model = file("run/split-0/model.safetensors");
  const std::vector<std::vector<std::string>> commands = {
      {"data", "import", "--nodes", file("n.csv"), "--id", "customer",
       "--label", "churn", "--edges", file("e.csv"), "--source", "from",
       "--target", "to", "--out", file("g.npz"), "--quiet"},
      {"train", "--data", file("g.npz"), "--layers", "2", "--hidden", "16",
       "--epochs", "3", "--out", file("run"), "--quiet"},
      {"serve", "--checkpoint", model, "--data", file("g.npz"), "--apply",
       file("changes.jsonl"), "--export", file("now.npz"), "--quiet"},
      {"predict", "--checkpoint", model, "--data", file("now.npz"), "--out",
       file("served.csv"), "--quiet"},
      {"predict", "--checkpoint", model, "--data", file("g.npz"), "--add-nodes",
       file("new.csv"), "--add-edges", file("new_edges.csv"), "--out",
       file("added.csv"), "--quiet"}};
  for (const auto& command : commands) {
    const Outcome done = run_ognn(command);
    ASSERT_EQ(done.status, 0) << command[0] << ": " << done.err;
  }
  const std::string added = core::read_file(file("added.csv"));
  const std::string row = added.substr(added.find("\neve,"));
  EXPECT_TRUE(contains(core::read_file(file("served.csv")), row));
  const auto refused = [&](const std::string& cells) {
    write_text(
        file("changes.jsonl"),
        "{\"set_features\": [{\"id\": \"c1\", \"columns\": {\"age\": 31, "
        "\"city\": null, \"vip\": null, " +
            cells + "}}]}\n");
    return run_ognn({"serve", "--checkpoint", model, "--data", file("g.npz"),
                     "--apply", file("changes.jsonl"), "--quiet"})
        .err;
  };
  EXPECT_TRUE(contains(refused("\"joined\": null, \"town\": \"Kyiv\""),
                       "set_features[0].columns.town: unknown column 'town'"));
  for (const char* date : {"1e18", "45000", "\"2024-02-30\""}) {
    EXPECT_TRUE(contains(refused(std::string("\"joined\": ") + date),
                         "columns.joined: expected a date, YYYY-MM-DD"))
        << date;
  }
}

TEST_F(ServeCommand, RefusesWhatCannotBe) {
  EXPECT_EQ(run_ognn({"serve", "--data", file("g.npz")}).status, 2);
  EXPECT_TRUE(contains(run_ognn(serve({"--host", "0.0.0.0"})).err,
                       "add --token-file FILE"));
  EXPECT_TRUE(contains(run_ognn(serve({"--cert", "c"})).err,
                       "--cert and --key are needed together"));
  EXPECT_TRUE(
      contains(run_ognn(serve({"--token-file", file("none")})).err, "none"));
}

TEST_F(ServeCommand, TakesTheThreadsThatItsGraphHasWorkFor) {
  if (!lab::can_serve_http()) GTEST_SKIP() << "this build has no cpp-httplib";
  const auto served = [&](const std::string& threads) {
    StartedOgnn server(
        serve({"--port", "0", "--json", "--threads", threads, "--host",
               "127.0.0.1", "--state", file("state-" + threads)}));
    const std::string log =
        file("state-" + threads) + "/changes-000000000000.log";
    for (int i = 0; i < 2000 && !std::filesystem::exists(log); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    server.send(SIGTERM);
    return server.wait();
  };
  const Outcome left = served("auto");
  ASSERT_EQ(left.status, 0) << left.err;
  EXPECT_EQ(Json::parse(left.out)["threads"], 1);
  EXPECT_TRUE(contains(left.err, "; 1 thread, ")) << left.err;
  const Outcome asked = served("3");
  EXPECT_EQ(Json::parse(asked.out)["threads"], 3);
  EXPECT_TRUE(contains(asked.err, "; 3 threads; memory ")) << asked.err;
}

TEST_F(ServeCommand, ServesUntilItIsToldToStop) {
  if (!lab::can_serve_http()) GTEST_SKIP() << "this build has no cpp-httplib";
  StartedOgnn server(serve({"--port", "0", "--json", "--threads", "1"}));
  // The folder of its changes is there when it has loaded all it needs.
  const std::string log = file("g.npz.serve/changes-000000000000.log");
  for (int i = 0; i < 2000 && !std::filesystem::exists(log); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  server.send(SIGHUP);
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  EXPECT_FALSE(server.ended());
  server.send(SIGTERM);
  const Outcome done = server.wait();
  EXPECT_EQ(done.status, 0) << done.err;
  EXPECT_GT(Json::parse(done.out)["port"], 0);
  EXPECT_TRUE(contains(done.err, "stopping"));
}

}  // namespace
}  // namespace ordered_gnn
