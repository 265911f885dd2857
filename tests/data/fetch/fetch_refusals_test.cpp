#include <chrono>
#include <thread>

#include "data/fetch/fetch_support.h"
#include "data/fetch/part_file.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

TEST_F(Fetch, FollowsRedirectsUpToFive) {
  int limit = 5;
  LoopbackServer server([&](const LoopbackRequest& request) {
    const int hop = request.path == "/d/f" ? 0 : request.path.back() - '0';
    if (hop == limit) return http_answer("200 OK", text_);
    return http_answer("302 Found", "moved",
                       fmt::format("Location: /hop{}\r\n", hop + 1));
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
  fs::remove(dir_ / "d/f");
  limit = 6;
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       "more than 5 redirects"));
  expect_nothing();
}

TEST_F(Fetch, FollowsARedirectToAnotherServerButToNoOtherScheme) {
  LoopbackServer other(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  std::string location = other.url() + "/elsewhere";
  LoopbackServer server([&](const LoopbackRequest&) {
    return http_answer("301 Moved", "", "Location: " + location + "\r\n");
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  EXPECT_EQ(other.requests().at(0).path, "/elsewhere");
  expect_only(text_);
  fs::remove(dir_ / "d/f");
  location = "file:///etc/passwd";
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       "no http or https address"));
}

TEST_F(Fetch, ErrorNamesAddressAndStatusOfARefusal) {
  LoopbackServer server([](const LoopbackRequest&) {
    return http_answer("404 Not Found", "no such page");
  });
  const std::string error = error_of([&] {
    fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  });
  EXPECT_TRUE(contains(error, server.url() + "/d/f"));
  EXPECT_TRUE(contains(error, "404"));
  EXPECT_EQ(server.requests().size(), 1u);
  expect_nothing();
}

TEST_F(Fetch, RetriesWhatMayPassAndGivesUp) {
  int failures = 3;
  LoopbackServer server([&](const LoopbackRequest& request) {
    if (failures-- > 0) return http_answer("503 Busy", "later");
    return range_answer(text_, request.offset);
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
  fs::remove(dir_ / "d/f");
  failures = 100;
  const size_t before = server.requests().size();
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       "503"));
  EXPECT_EQ(server.requests().size() - before, 5u);
  expect_nothing();
}

TEST_F(Fetch, GivesUpOnAServerThatNeverGetsFurther) {
  LoopbackServer server([&](const LoopbackRequest&) {
    return http_answer("200 OK", text_).substr(0, 1000);
  });
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       "the connection ended after"));
  EXPECT_LE(server.requests().size(), 6u);
  EXPECT_FALSE(fs::exists(dir_ / "d/f"));
}

TEST_F(Fetch, ASilentServerIsLeftAfterTheTimeout) {
  LoopbackServer server([](const LoopbackRequest&) {
    std::this_thread::sleep_for(std::chrono::milliseconds(400));
    return std::string();
  });
  FetchOptions options = quick(server.url());
  options.read_timeout = std::chrono::milliseconds(100);
  options.retries = 0;
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    options);
                       }),
                       "gave no answer"));
  expect_nothing();
}

TEST_F(Fetch, WrongChecksumIsAnErrorWithBothAndLeavesNothing) {
  std::string damaged = text_;
  damaged[100] ^= 1;
  LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(damaged, request.offset);
  });
  const std::string error = error_of([&] {
    fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  });
  EXPECT_TRUE(contains(error, text_sha256(text_)));
  EXPECT_TRUE(contains(error, text_sha256(damaged)));
  expect_nothing();
}

TEST_F(Fetch, RefusesMoreBytesThanStated) {
  LoopbackServer announced([&](const LoopbackRequest&) {
    return http_answer("200 OK", text_ + "more");
  });
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(announced.url()));
                       }),
                       "the server offers"));
  expect_nothing();
  // Without Content-Length only the bytes themselves tell.
  LoopbackServer silent([&](const LoopbackRequest&) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text_ + "more";
  });
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(silent.url()));
                       }),
                       "the server sends more than"));
  expect_nothing();
  FetchOptions capped = quick(silent.url());
  capped.max_bytes = 1000;
  EXPECT_TRUE(contains(
      error_of([&] { fetch_file(undescribed("d/f"), dir_.path(), capped); }),
      "more than 1000 bytes"));
  expect_nothing();
}

TEST_F(Fetch, NobodyListeningIsAnErrorOfItsOwn) {
  const std::string address = closed_address();
  try {
    fetch_file(described("d/f", text_), dir_.path(), quick(address));
    FAIL() << "no error";
  } catch (const UnreachableError& error) {
    EXPECT_TRUE(contains(error.what(), address + "/d/f: no connection"));
  }
  expect_nothing();
}

TEST_F(Fetch, TwoDownloadsOfOneFileDoNotMix) {
  LoopbackServer server(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  PartFile other(dir_ / "d/f");
  other.append("abc", 3);
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       "another process"));
  EXPECT_EQ(core::read_file(dir_ / "d/f.part"), "abc");
}

TEST_F(Fetch, AFolderThatCannotBeMadeIsNamed) {
  write_text(dir_ / "d", "a file, not a folder");
  LoopbackServer server(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  EXPECT_TRUE(contains(error_of([&] {
                         fetch_file(described("d/f", text_), dir_.path(),
                                    quick(server.url()));
                       }),
                       (dir_ / "d").string()));
}

}  // namespace
}  // namespace ordered_gnn::data
