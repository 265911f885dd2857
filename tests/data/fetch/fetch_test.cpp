#include "data/fetch/fetch.h"

#include "data/fetch/fetch_support.h"

namespace ordered_gnn::data {
namespace {

namespace fs = std::filesystem;

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
  EXPECT_EQ(got.sha256, text_sha256(text_));
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
  EXPECT_TRUE(contains(error, text_sha256("mine")));
  EXPECT_TRUE(contains(error, text_sha256(text_)));
  EXPECT_TRUE(contains(error, "--force"));
  EXPECT_EQ(core::read_file(dir_ / "d/f"), "mine");
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
    EXPECT_EQ(got.sha256, text_sha256(text_));
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
  EXPECT_EQ(got.sha256, text_sha256(text_));
  expect_only(text_);
  ASSERT_EQ(server.requests().size(), 1u);
  fs::remove(dir_ / "d/f");
  write_text(dir_ / "d/f.part", text_ + "too much");
  fetch_file(undescribed("d/f"), dir_.path(), quick(server.url()));
  expect_only(text_);
}

TEST_F(Fetch, ABodyWithoutLengthEndsWithTheConnection) {
  LoopbackServer server([&](const LoopbackRequest&) {
    return "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + text_;
  });
  fetch_file(described("d/f", text_), dir_.path(), quick(server.url()));
  expect_only(text_);
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

TEST(FetchUrl, BaseUrlReplacesTheAddress) {
  const PublicFile file = described("a/b", "");
  EXPECT_EQ(fetch_url(file, ""), "https://example.invalid/a/b");
  EXPECT_EQ(fetch_url(file, "http://m:1/x/"), "http://m:1/x/a/b");
  EXPECT_THROW(fetch_url(file, "mirror"), UsageError);
}

}  // namespace
}  // namespace ordered_gnn::data
