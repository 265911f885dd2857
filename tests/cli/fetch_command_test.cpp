#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/ognn_process.h"
#include "core/io/file.h"
#include "data/fetch/fetch.h"
#include "support/errors.h"
#include "support/loopback_server.h"
#include "support/real_data.h"
#include "support/temp_dir.h"

namespace ordered_gnn {
namespace {

using Json = nlohmann::json;

TEST(DataFetch, ListNamesAddressPlaceSizeAndChecksum) {
  const TempDir dir;
  const Outcome text = run_ognn(
      {"data", "fetch", "texas", "--list", "--data-root", dir.path().string()});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_TRUE(contains(text.out, "https://raw.githubusercontent.com/"));
  EXPECT_TRUE(contains(
      text.out,
      (dir / "geom-gcn/new_data/texas/out1_graph_edges.txt").string()));
  EXPECT_TRUE(contains(text.out, "SHA-256 0fe85183243a78cb")) << text.out;
  const Json list =
      Json::parse(run_ognn({"data", "fetch", "all", "--list", "--json"}).out);
  EXPECT_GT(list.size(), 120u);
  for (const char* key : {"path", "url", "target", "size", "sha256"}) {
    EXPECT_TRUE(list[0].contains(key)) << key;
  }
}

TEST(DataFetch, WrongUsage) {
  const Outcome unknown = run_ognn({"data", "fetch", "txas", "--list"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean 'texas'?")) << unknown.err;
  const Outcome none = run_ognn({"data", "fetch"});
  EXPECT_EQ(none.status, 2);
  EXPECT_TRUE(contains(none.err, "say what to fetch")) << none.err;
  const Outcome base =
      run_ognn({"data", "fetch", "texas", "--base-url", "mirror"});
  EXPECT_EQ(base.status, 2);
  EXPECT_TRUE(contains(base.err, "base-url")) << base.err;
}

TEST(DataFetch, WithoutANetworkPrintsTheList) {
  const TempDir dir;
  const Outcome outcome =
      run_ognn({"data", "fetch", "texas", "--data-root", dir.path().string(),
                "--base-url", closed_address()});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.err,
                       data::can_fetch() ? "no connection" : "cannot download"))
      << outcome.err;
  EXPECT_TRUE(
      contains(outcome.out,
               (dir / "geom-gcn/splits/texas_split_0.6_0.2_9.npz").string()));
}

// A server on loopback hands out the publishers' files.
class DataFetchFromMirror : public ::testing::Test {
 protected:
  void SetUp() override {
    ORDERED_GNN_NEEDS_REAL_DATA();
    if (!data::can_fetch()) GTEST_SKIP() << "this build has no HTTP client";
  }
  static std::string real_file(const std::string& path) {
    return core::read_file(real_data().string() + path);
  }
};

TEST_F(DataFetchFromMirror, AMirrorOfTheRealFilesFillsADataRoot) {
  const TempDir dir;
  const LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(real_file(request.path), request.offset);
  });
  const std::vector<std::string> command = {
      "data",       "fetch",      "texas",      "--data-root",
      dir / "root", "--base-url", server.url(), "--json"};
  const Outcome first = run_ognn(command);
  ASSERT_EQ(first.status, 0) << first.err;
  const Json json = Json::parse(first.out);
  EXPECT_EQ(json.at("files").size(), 12u);
  for (const Json& file : json.at("files")) {
    EXPECT_EQ(file.at("state"), "downloaded");
    EXPECT_EQ(file.at("compared"), true);
  }
  const Outcome second = run_ognn(command);
  EXPECT_TRUE(contains(second.err, "already there")) << second.err;
  EXPECT_EQ(server.requests().size(), 12u);
  const Outcome info = run_ognn(
      {"data", "info", "texas", "--data-root", dir / "root", "--json"});
  EXPECT_EQ(Json::parse(info.out).at("num_splits"), 10);
}

TEST_F(DataFetchFromMirror, OneBadFileDoesNotStopTheOthers) {
  const TempDir dir;
  const LoopbackServer server([&](const LoopbackRequest& request) {
    if (contains(request.path, "graph_edges")) {
      return http_answer("404 Not Found", "");
    }
    return range_answer(real_file(request.path), request.offset);
  });
  const Outcome outcome =
      run_ognn({"data", "fetch", "texas", "--data-root", dir / "root",
                "--base-url", server.url(), "--quiet"});
  EXPECT_EQ(outcome.status, 1);
  EXPECT_TRUE(contains(outcome.out, "11 of 12 files")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "out1_graph_edges.txt"));
  EXPECT_TRUE(contains(outcome.err, "404")) << outcome.err;
}

TEST_F(DataFetchFromMirror, GoesOnAfterBeingKilled) {
  constexpr int64_t kSent = 500;
  const TempDir dir;
  const auto part = dir / "geom-gcn/new_data/texas/out1_graph_edges.txt.part";
  const auto arguments = [&](const LoopbackServer& server) {
    return std::vector<std::string>{"data",        "fetch",    "texas",
                                    "--data-root", dir.path(), "--base-url",
                                    server.url(),  "--quiet"};
  };
  {
    // Breaks off, then keeps the second request waiting until the kill.
    std::atomic<bool> killed{false};
    const LoopbackServer server([&](const LoopbackRequest& request) {
      if (request.offset > 0) {
        while (!killed)
          std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return std::string();
      }
      const std::string whole = range_answer(real_file(request.path), 0);
      return whole.substr(0, whole.find("\r\n\r\n") + 4 + kSent);
    });
    const pid_t child = start_ognn(arguments(server));
    while (server.requests().size() < 2) {
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "it ended by itself";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    killed = true;
  }
  EXPECT_EQ(std::filesystem::file_size(part), kSent);
  const LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(real_file(request.path), request.offset);
  });
  const Outcome outcome = run_ognn(arguments(server));
  EXPECT_EQ(outcome.status, 0) << outcome.err;
  EXPECT_EQ(server.requests().at(0).offset, kSent);
  EXPECT_FALSE(std::filesystem::exists(part));
}

}  // namespace
}  // namespace ordered_gnn
