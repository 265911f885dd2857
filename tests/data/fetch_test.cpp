#include "ordered_gnn/data/fetch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "data/data_support.h"
#include "data/part_file.h"
#include "ordered_gnn/core/io/file.h"
#include "ordered_gnn/core/io/sha256.h"
#include "support/loopback_server.h"

namespace ordered_gnn {
namespace {

namespace fs = std::filesystem;

std::string sha256_of(const std::string& text) {
  Sha256 hash;
  hash.update(text);
  return hash.hex();
}

std::string long_text() {
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i) + "\n";
  return text;
}

PublicFile described(const std::string& path, const std::string& content) {
  PublicFile file;
  file.file = {path, static_cast<int64_t>(content.size()), sha256_of(content)};
  file.url = "https://example.invalid/" + path;
  return file;
}

PublicFile undescribed(const std::string& path) {
  PublicFile file;
  file.file.path = path;
  return file;
}

class Fetch : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!can_fetch()) GTEST_SKIP() << "this build has no HTTP client";
  }

  static FetchOptions quick(const std::string& base_url) {
    FetchOptions options;
    options.base_url = base_url;
    options.retry_delay = std::chrono::milliseconds(1);
    options.connect_timeout = std::chrono::milliseconds(2000);
    options.read_timeout = std::chrono::milliseconds(2000);
    return options;
  }

  void expect_only(const std::string& content) const {
    EXPECT_EQ(read_file(dir_ / "d/f"), content);
    EXPECT_FALSE(fs::exists(dir_ / "d/f.part"));
  }

  void expect_nothing() const {
    EXPECT_FALSE(fs::exists(dir_ / "d/f"));
    EXPECT_FALSE(fs::exists(dir_ / "d/f.part"));
  }

  TempDir dir_;
  const std::string text_ = long_text();
};

TEST_F(Fetch, DownloadsAWholeFileAndReportsProgress) {
  LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(text_, request.offset);
  });
  FetchOptions options = quick(server.url() + "/mirror/");
  FetchProgress last;
  options.progress = [&](const FetchProgress& p) {
    EXPECT_GE(p.bytes, last.bytes);
    last = p;
  };
  const FetchedFile got =
      fetch_file(described("d/f", text_), dir_.path(), options);
  EXPECT_EQ(got.state, FetchState::downloaded);
  EXPECT_EQ(got.sha256, sha256_of(text_));
  EXPECT_TRUE(got.compared);
  EXPECT_EQ(got.size, static_cast<int64_t>(text_.size()));
  EXPECT_EQ(last.path, "d/f");
  EXPECT_EQ(last.bytes, got.size);
  EXPECT_EQ(last.total, got.size);
  ASSERT_EQ(server.requests().size(), 1u);
  EXPECT_EQ(server.requests()[0].path, "/mirror/d/f");
  expect_only(text_);
}

TEST_F(Fetch, LeavesARightFileAlone) {
  LoopbackServer server(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  write_text(dir_ / "d/f", text_);
  EXPECT_EQ(
      fetch_file(described("d/f", text_), dir_.path(), quick(server.url()))
          .state,
      FetchState::already_there);
  fs::remove(dir_ / "d/f");
  write_gzip(dir_ / "d/f.gz", text_);
  EXPECT_EQ(
      fetch_file(described("d/f", text_), dir_.path(), quick(server.url()))
          .state,
      FetchState::already_there);
  EXPECT_TRUE(server.requests().empty());
}

TEST_F(Fetch, ReplacesADifferingFileOnlyWhenForced) {
  LoopbackServer server(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  write_text(dir_ / "d/f", "mine");
  const PublicFile file = described("d/f", text_);
  FetchOptions options = quick(server.url());
  const std::string error =
      error_of([&] { fetch_file(file, dir_.path(), options); });
  EXPECT_TRUE(contains(error, sha256_of("mine")));
  EXPECT_TRUE(contains(error, sha256_of(text_)));
  EXPECT_TRUE(contains(error, "--force"));
  EXPECT_EQ(read_file(dir_ / "d/f"), "mine");
  options.force = true;
  fetch_file(file, dir_.path(), options);
  expect_only(text_);
}

TEST_F(Fetch, GoesOnAfterACutConnection) {
  // Each answer states the rest and breaks off after 30,000 bytes of it.
  LoopbackServer server([&](const LoopbackRequest& request) {
    const std::string whole = range_answer(text_, request.offset);
    return whole.substr(0, whole.find("\r\n\r\n") + 4 + 30000);
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
  const auto requests = server.requests();
  ASSERT_EQ(requests.size(), (text_.size() + 29999) / 30000);
  EXPECT_EQ(requests[1].offset, 30000);
}

TEST_F(Fetch, GoesOnWhereAnEarlierRunStopped) {
  for (const bool described_file : {true, false}) {
    LoopbackServer server([&](const LoopbackRequest& request) {
      return range_answer(text_, request.offset);
    });
    write_text(dir_ / "d/f.part", text_.substr(0, 1000));
    const FetchedFile got = fetch_file(
        described_file ? described("d/f", text_) : undescribed("d/f"),
        dir_.path(), quick(server.url()));
    EXPECT_EQ(got.compared, described_file);
    EXPECT_EQ(got.sha256, sha256_of(text_));
    ASSERT_EQ(server.requests().size(), 1u);
    EXPECT_EQ(server.requests()[0].offset, 1000);
    expect_only(text_);
    fs::remove(dir_ / "d/f");
  }
}

TEST_F(Fetch, StartsOverWhenTheServerIgnoresRange) {
  LoopbackServer server(
      [&](const LoopbackRequest&) { return http_answer("200 OK", text_); });
  write_text(dir_ / "d/f.part", "other bytes");
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
}

TEST_F(Fetch, StartsOverWhenTheServerSendsAnotherPart) {
  LoopbackServer server([&](const LoopbackRequest& request) {
    if (request.offset == 0) return range_answer(text_, 0);
    return http_answer("206 Partial Content", text_.substr(5),
                       "Content-Range: bytes 5-9/10\r\n");
  });
  write_text(dir_ / "d/f.part", text_.substr(0, 1000));
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
}

TEST_F(Fetch, StartsOverWhenAnEarlierPartWasOfAnotherFile) {
  LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(text_, request.offset);
  });
  const std::string whole_size(text_.size(), 'x');
  for (const std::string& part :
       {std::string("xyz"), whole_size, whole_size + "more"}) {
    write_text(dir_ / "d/f.part", part);
    fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
    expect_only(text_);
    fs::remove(dir_ / "d/f");
  }
}

TEST_F(Fetch, AnEarlierPartThatIsAllOfAFileOfUnknownSizeIsEnough) {
  LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(text_, request.offset);
  });
  write_text(dir_ / "d/f.part", text_);
  const FetchedFile got =
      fetch_file(undescribed("d/f"), dir_.path(), quick(server.url()));
  EXPECT_EQ(got.sha256, sha256_of(text_));
  expect_only(text_);
  ASSERT_EQ(server.requests().size(), 1u);
  fs::remove(dir_ / "d/f");
  write_text(dir_ / "d/f.part", text_ + "too much");
  fetch_file(undescribed("d/f"), dir_.path(), quick(server.url()));
  expect_only(text_);
}

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
  EXPECT_TRUE(contains(error, sha256_of(text_)));
  EXPECT_TRUE(contains(error, sha256_of(damaged)));
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

TEST_F(Fetch, ABodyWithoutLengthEndsWithTheConnection) {
  LoopbackServer server([&](const LoopbackRequest&) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text_;
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
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

TEST_F(Fetch, AnInterruptedRunLeavesAPrefixThatTheNextOneUses) {
  LoopbackServer server([&](const LoopbackRequest& request) {
    return range_answer(text_, request.offset);
  });
  FetchOptions options = quick(server.url());
  options.progress = [](const FetchProgress&) { throw Error("interrupted"); };
  EXPECT_EQ(error_of([&] {
              fetch_file(described("d/f", text_), dir_.path(), options);
            }),
            "interrupted");
  EXPECT_FALSE(fs::exists(dir_ / "d/f"));
  const auto kept = static_cast<int64_t>(fs::file_size(dir_ / "d/f.part"));
  EXPECT_GT(kept, 0);
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  EXPECT_EQ(server.requests().back().offset, kept);
  expect_only(text_);
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
  EXPECT_EQ(read_file(dir_ / "d/f.part"), "abc");
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

TEST(FetchUrl, BaseUrlReplacesTheAddress) {
  const PublicFile file = described("a/b", "");
  EXPECT_EQ(fetch_url(file, ""), "https://example.invalid/a/b");
  EXPECT_EQ(fetch_url(file, "http://m:1/x/"), "http://m:1/x/a/b");
  EXPECT_THROW(fetch_url(file, "mirror"), UsageError);
}

}  // namespace
}  // namespace ordered_gnn
