#include "lab/serve/access.h"

#include "lab/serve/api_support.h"

namespace ordered_gnn::lab {
namespace {

TEST(ServedAccess, AnswersWithoutATokenToItsAddressAlone) {
  const ServedFiles files;
  Service service(files.settings());
  Api api(service, Access(), {});
  HttpCall call = call_of("POST", "/v1/graph", R"({"remove_nodes": [1]})");
  for (const char* host : {"evil.example", "evil.example:8080", "127.0.0.1.a",
                           "localhost.a", "[::1", "1", "::1"}) {
    call.host = host;
    EXPECT_FALSE(api.takes_body(call)) << host;
    const HttpReply reply = api.answer(call);
    EXPECT_EQ(reply.status, 421) << host;
    EXPECT_TRUE(contains(reply.body, "--token-file")) << host;
  }
  EXPECT_EQ(service.status().sequence, 0);
  call = call_of("GET", "/v1/nodes/1");
  for (const char* host : {"", "localhost", "LocalHost:80", "127.0.0.1:8080",
                           "192.168.1.2", "[::1]:8080"}) {
    call.host = host;
    EXPECT_EQ(api.answer(call).status, 200) << host;
  }
  call.path = "/healthz";
  call.host = "evil.example";
  EXPECT_EQ(api.answer(call).status, 200);
}

TEST(ServedAccess, NeedsTheToken) {
  const ServedFiles files;
  Service service(files.settings());
  const std::filesystem::path file = files.dir() / "token";
  write_text(file, "0123456789abcdef0123\n");
  Api api(service, Access::from_file(file), {});
  HttpCall call = call_of("GET", "/v1/nodes/1");
  const auto status = [&](const std::string& authorization) {
    call.authorization = authorization;
    return api.answer(call).status;
  };
  EXPECT_EQ(status(""), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0124"), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0123x"), 401);
  EXPECT_EQ(status("Bearer "), 401);
  EXPECT_EQ(status("0123456789abcdef0123"), 401);
  EXPECT_EQ(status("Bearer 0123456789abcdef0123"), 200);
  call.host = "graphs.example";
  EXPECT_EQ(status("Bearer 0123456789abcdef0123"), 200);
  EXPECT_EQ(status("bearer 0123456789abcdef0123"), 200);
  // user:0123456789abcdef0123
  EXPECT_EQ(status("Basic dXNlcjowMTIzNDU2Nzg5YWJjZGVmMDEyMw=="), 200);
  EXPECT_EQ(status("Basic !!!!"), 401);
  EXPECT_EQ(status("Basic ="), 401);
  call.path = "/";
  EXPECT_TRUE(
      contains(api.answer(call).headers.at("WWW-Authenticate"), "Basic"));
  for (const char* path :
       {"/nothing", "/metrics", "/openapi.json", "/v1/model", "/healthz/"}) {
    call.path = path;
    EXPECT_EQ(status(""), 401) << path;
  }
  for (const char* path : {"/healthz", "/readyz"}) {
    call.path = path;
    EXPECT_EQ(status(""), 200) << path;
  }
  HttpCall body = call_of("POST", "/v1/predict", "{}");
  EXPECT_FALSE(api.takes_body(body));
  body.authorization = "Bearer 0123456789abcdef0123";
  EXPECT_TRUE(api.takes_body(body));
}

TEST(ServedAccess, RefusesTokensThatAreNone) {
  const TempDir dir;
  write_text(dir / "short", "abc\n");
  write_text(dir / "blank", "0123456789 0123456789\n");
  write_text(dir / "open", "0123456789abcdef0123\n");
  std::filesystem::permissions(dir / "open",
                               std::filesystem::perms::others_write,
                               std::filesystem::perm_options::add);
  const auto refused = [&](const char* name) {
    return error_of([&] { Access::from_file(dir / name); });
  };
  EXPECT_TRUE(contains(refused("short"), "at least 16 characters"));
  EXPECT_TRUE(contains(refused("blank"), "without blanks"));
  EXPECT_TRUE(contains(refused("open"), "others may write"));
  EXPECT_TRUE(contains(refused("none"), "none"));
  write_text(dir / "crlf", "0123456789abcdef0123\r\n\n");
  EXPECT_TRUE(
      Access::from_file(dir / "crlf").allows("Bearer 0123456789abcdef0123"));
  write_text(dir / "two", "0123456789abcdef0123\n0123456789abcdef0123\n");
  EXPECT_TRUE(contains(refused("two"), "one line"));
}

TEST(ServedAccess, TellsWhoElseMayReadASecret) {
  const TempDir dir;
  write_text(dir / "token", "0123456789abcdef0123\n");
  using std::filesystem::perms;
  std::filesystem::permissions(dir / "token", perms(0640));
  EXPECT_EQ(secret_note(dir / "token"), "");
  std::filesystem::permissions(dir / "token", perms(0644));
  EXPECT_TRUE(contains(secret_note(dir / "token"), "every user"));
  EXPECT_EQ(secret_note(""), "");
}

}  // namespace
}  // namespace ordered_gnn::lab
