#include "data/fetch/download.h"

#include <algorithm>
#include <optional>
#include <thread>

#include "core/io/sha256.h"
#include "data/fetch/content_range.h"
#include "data/fetch/http_client.h"
#include "data/fetch/part_file.h"

namespace ordered_gnn::data {
namespace {

constexpr int kMaxRedirects = 5;

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 ||
         status == 308;
}

bool may_pass(int status) {
  return status == 408 || status == 429 || status >= 500;
}

/// One file on its way: what each exchange does to its part file.
class Transfer {
 public:
  Transfer(const Download& what, const FetchOptions& options)
      : what_(what), options_(options), part_(what.target) {}

  KnownFile run();

 private:
  enum class Step { complete, again, failed };

  Step exchange();
  bool on_head(const HttpHead& head);
  bool on_body(const char* data, size_t size);
  Url follow(const Url& from, const std::string& location) const;
  Step after(const HttpResult& result);
  void check_announced(int64_t total) const;
  bool is_whole() const {
    return what_.known.size >= 0 && part_.size() == what_.known.size;
  }
  int64_t limit() const {
    return what_.known.size >= 0 ? what_.known.size : options_.max_bytes;
  }
  void download_all();
  void wait_before(int retry) const;

  const Download& what_;
  const FetchOptions& options_;
  PartFile part_;
  int64_t announced_ = -1;  // bytes of the whole file, as the server says
  bool unreachable_ = false;
  std::string problem_;  // of the latest exchange
};

[[noreturn]] void fail_url(const std::string& url, const std::string& message) {
  throw Error(url + ": " + message);
}

void Transfer::check_announced(int64_t total) const {
  if (what_.known.size >= 0 && total != what_.known.size) {
    fail_url(what_.url,
             fmt::format("the server offers {} bytes, the published file has "
                         "{}; it has changed or the address is wrong",
                         total, what_.known.size));
  }
  if (total > limit()) {
    fail_url(what_.url, fmt::format("the server offers {} bytes, at most {} "
                                    "are downloaded",
                                    total, limit()));
  }
}

bool Transfer::on_head(const HttpHead& head) {
  if (head.status == 206) {
    const ContentRange range = parse_content_range(head.content_range);
    if (range.offset != part_.size()) {
      part_.restart();
      problem_ = fmt::format("the server sent another part than asked for ({})",
                             head.content_range);
      return false;
    }
    announced_ = range.total;
  } else if (head.status == 200) {
    part_.restart();
    announced_ = head.content_length;
  } else {
    return false;
  }
  if (announced_ >= 0) check_announced(announced_);
  return true;
}

bool Transfer::on_body(const char* data, size_t size) {
  if (part_.size() + static_cast<int64_t>(size) > limit()) {
    part_.discard();
    fail_url(
        what_.url,
        fmt::format("the server sends more than {} bytes, {}; nothing was "
                    "kept",
                    limit(),
                    what_.known.size >= 0 ? "the size of the published file"
                                          : "the most that is downloaded"));
  }
  part_.append(data, size);
  if (options_.progress) {
    options_.progress({what_.known.path, part_.size(),
                       what_.known.size >= 0 ? what_.known.size : announced_});
  }
  return true;
}

Url Transfer::follow(const Url& from, const std::string& location) const {
  const std::optional<Url> to = resolve_url(from, location);
  if (!to) {
    fail_url(from.text(), fmt::format("redirects to '{}', which is no http or "
                                      "https address",
                                      location));
  }
  if (from.secure() && !to->secure()) {
    fail_url(from.text(), fmt::format("redirects to {}, which is not encrypted",
                                      to->text()));
  }
  return *to;
}

Transfer::Step Transfer::exchange() {
  HttpRequest request;
  const std::optional<Url> url = parse_url(what_.url);
  if (!url) fail_url(what_.url, "is no http or https address");
  request.url = *url;
  request.connect_timeout = options_.connect_timeout;
  request.read_timeout = options_.read_timeout;
  for (int redirects = 0; redirects <= kMaxRedirects; ++redirects) {
    request.offset = part_.size();
    problem_.clear();
    announced_ = -1;
    const HttpResult result = http_get(
        request, [this](const HttpHead& head) { return on_head(head); },
        [this](const char* data, size_t size) { return on_body(data, size); });
    if (!is_redirect(result.head.status)) return after(result);
    request.url = follow(request.url, result.head.location);
  }
  fail_url(what_.url, fmt::format("more than {} redirects", kMaxRedirects));
}

// Decides what an exchange that was no redirect means for the file.
Transfer::Step Transfer::after(const HttpResult& result) {
  const int status = result.head.status;
  unreachable_ = result.end == HttpResult::End::unreachable;
  if (result.end == HttpResult::End::untrusted) {
    fail_url(what_.url, result.problem);
  }
  if (status == 0) {
    problem_ = result.problem;
    return Step::again;
  }
  if (status == 416 && part_.size() > 0) {
    // Nothing lies behind what we have: either that is all or it is wrong.
    const std::string whole = fmt::format("bytes */{}", part_.size());
    if (what_.known.size < 0 && result.head.content_range == whole) {
      return Step::complete;
    }
    part_.restart();
    problem_ = "the server has no more bytes than an earlier download";
    return Step::again;
  }
  if (status != 200 && status != 206) {
    problem_ = fmt::format("the server answered with status {}", status);
    return may_pass(status) ? Step::again : Step::failed;
  }
  const int64_t total = what_.known.size >= 0 ? what_.known.size : announced_;
  const bool whole = total < 0 ? result.end == HttpResult::End::complete
                               : part_.size() == total;
  if (whole) return Step::complete;
  if (problem_.empty()) {
    problem_ =
        fmt::format("the connection ended after {} bytes{}", part_.size(),
                    total < 0 ? "" : fmt::format(" of {}", total));
  }
  return Step::again;
}

void Transfer::wait_before(int retry) const {
  constexpr int kMostDoublings = 5;
  std::this_thread::sleep_for(options_.retry_delay *
                              (1 << std::min(retry, kMostDoublings)));
}

void Transfer::download_all() {
  int64_t most = part_.size();
  for (int retry = 0; !is_whole(); ++retry) {
    const Step step = exchange();
    if (step == Step::complete) return;
    if (part_.size() > most) retry = 0;
    most = std::max(most, part_.size());
    // Without a network waiting for long helps nobody.
    const int retries =
        unreachable_ ? std::min(1, options_.retries) : options_.retries;
    if (step == Step::failed || retry >= retries) {
      if (unreachable_) throw UnreachableError(what_.url + ": " + problem_);
      fail_url(what_.url, problem_);
    }
    wait_before(retry);
  }
}

KnownFile Transfer::run() {
  if (part_.size() > limit()) part_.restart();
  bool resumed = part_.size() > 0;
  for (;;) {
    download_all();
    KnownFile got{what_.known.path, part_.size(),
                  core::sha256_of_file(part_.path())};
    if (what_.known.sha256.empty() || got.sha256 == what_.known.sha256) {
      part_.commit();
      return got;
    }
    // What an earlier run left may belong to another version of the file.
    if (resumed) {
      resumed = false;
      part_.restart();
      continue;
    }
    part_.discard();
    fail_url(what_.url,
             fmt::format("the SHA-256 of the download is\n  {}, expected\n  "
                         "{}; the download was deleted. The file has changed "
                         "at its source or was damaged on the way.",
                         got.sha256, what_.known.sha256));
  }
}

}  // namespace

KnownFile download(const Download& what, const FetchOptions& options) {
  return Transfer(what, options).run();
}

}  // namespace ordered_gnn::data
