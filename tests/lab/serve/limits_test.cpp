#include <sys/resource.h>

#include <csignal>

#include "lab/serve/api_support.h"
#include "ordered_gnn/core/memory_budget.h"

namespace ordered_gnn::lab {
namespace {

// Files that may not grow stand in for a full disk.
TEST_F(ServedApi, AFullDiskRefusesChangesAlone) {
  const Json change = {{"set_labels", {{{"id", 1}, {"label", 1}}}},
                       {"wait", true}};
  post("/v1/graph", change);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit none = before;
  none.rlim_cur = 64;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &none), 0);
  const HttpReply refused = ask("POST", "/v1/graph", change);
  const HttpReply added =
      ask("POST", "/v1/graph",
          {{"add_nodes",
            {{{"id", "lost"}, {"features", {1, 0, 2, 0, 0, 1, 0, 3}}}}}});
  const HttpReply said = ask("POST", "/v1/predict", {{"ids", {1}}});
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(refused.status, 507) << refused.body;
  EXPECT_EQ(added.status, 507);
  EXPECT_EQ(said.status, 200);
  EXPECT_TRUE(contains(ask("GET", "/metrics").body, "ognn_failing 1\n"));
  // With room again all goes on, and nothing of the refused ones is there.
  EXPECT_EQ(post("/v1/graph", change)["sequence"], 2);
  EXPECT_EQ(ask("GET", "/v1/nodes/lost").status, 404);
  EXPECT_EQ(service_.change(one_more("next", "0")).sequence, 3);
}

// What is short refuses changes and lets predictions go on.
TEST_F(ServedApi, ShortMemoryRefusesChangesAlone) {
  const Json change = {{"set_labels", {{{"id", 1}, {"label", 1}}}},
                       {"wait", true}};
  {
    const MemoryScope nothing_left(1);
    EXPECT_TRUE(contains(refused("/v1/graph", change, 503),
                         ": memory is short for changes: --max-memory"));
    post("/v1/predict", {{"ids", {1}}});
  }
  EXPECT_EQ(service_.status().sequence, 0);
  EXPECT_EQ(post("/v1/graph", change)["sequence"], 1);
}

TEST(ServedLimits, TooManyChangesWait) {
  const ServedFiles files;
  ServiceSettings settings = files.settings();
  settings.max_pending = 0;
  Service service(settings);
  Api api(service, {}, {});
  const HttpReply reply =
      api.answer(call_of("POST", "/v1/graph", R"({"remove_nodes": [1]})"));
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(reply.headers.at("Retry-After"), "1");
  EXPECT_TRUE(contains(reply.body, "changes wait to be written"));
  EXPECT_EQ(service.status().sequence, 0);
}

}  // namespace
}  // namespace ordered_gnn::lab
