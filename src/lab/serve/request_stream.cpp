#ifdef ORDERED_GNN_HTTPLIB

#include "lab/serve/request_stream.h"

#include <algorithm>

namespace ordered_gnn::lab {
namespace {

constexpr size_t kReadAtOnce = 4096;
constexpr size_t kWrittenAtOnce = 65536;
constexpr auto kLookAround = std::chrono::milliseconds(100);
constexpr std::string_view kHeadEnd = "\r\n\r\n";

// Whether a line ends in LF alone, behind which some would see another line.
bool has_bare_newline(std::string_view text) {
  for (size_t at = text.find('\n'); at != std::string_view::npos;
       at = text.find('\n', at + 1)) {
    if (at == 0 || text[at - 1] != '\r') return true;
  }
  return false;
}

}  // namespace

bool RequestStream::fill(Clock::time_point until) {
  in_.erase(0, in_at_);
  in_at_ = 0;
  const size_t before = in_.size();
  in_.resize(before + kReadAtOnce);
  const ssize_t read = channel_.read(in_.data() + before, kReadAtOnce, until);
  in_.resize(before + static_cast<size_t>(std::max<ssize_t>(read, 0)));
  if (read == Channel::kEnded || read == Channel::kFailed) is_last_ = true;
  return read > 0;
}

bool RequestStream::next_request(const std::atomic<bool>& is_stopping) {
  if (is_last() || is_broken_) return false;
  const auto idle_until = Clock::now() + limits_.idle;
  // Empty lines between requests are passed over.
  while (true) {
    while (in_at_ < in_.size() &&
           (in_[in_at_] == '\r' || in_[in_at_] == '\n')) {
      ++in_at_;
    }
    if (in_at_ < in_.size()) break;
    const auto now = Clock::now();
    if (is_last_ || is_stopping || now >= idle_until) return false;
    fill(std::min(idle_until, now + kLookAround));
  }
  read_until_ = Clock::now() + limits_.read;
  is_writing_ = false;
  head_at_ = 0;
  read_head();
  return true;
}

void RequestStream::read_head() {
  constexpr int kBadLine = 400, kCut = 400, kLate = 408, kLongLine = 414,
                kLongHead = 431;
  while (true) {
    const std::string_view text = std::string_view(in_).substr(in_at_);
    const size_t end = text.find(kHeadEnd);
    const size_t first = std::min(text.find("\r\n"), text.size());
    if (first > RequestHead::kMostLine) {
      head_ = refused_head(kLongLine, "the path is too long");
    } else if (std::min(end, text.size()) > RequestHead::kMostBytes) {
      head_ = refused_head(kLongHead, "the headers are too long");
    } else if (has_bare_newline(text.substr(0, end))) {
      head_ = refused_head(kBadLine, "lines of a request end in CR LF");
    } else if (end != std::string_view::npos) {
      const size_t size = end + kHeadEnd.size();
      head_ = checked_head(text.substr(0, size));
      in_at_ += size;
    } else if (is_late()) {
      head_ = refused_head(kLate, "the request did not arrive in time");
    } else if (fill(read_until_) || !is_last_) {
      continue;
    } else {
      head_ = refused_head(kCut, "the connection ended within the headers");
    }
    return;
  }
}

ssize_t RequestStream::read(char* bytes, size_t size) {
  const size_t taken = head_.text.copy(bytes, size, head_at_);
  head_at_ += taken;
  return taken > 0 ? static_cast<ssize_t>(taken) : -1;
}

std::string_view RequestStream::arrived() {
  // Who waits for "100 Continue" sends nothing before.
  if (!flush() || is_late()) return {};
  if (in_at_ == in_.size() && !fill(read_until_)) return {};
  return std::string_view(in_).substr(in_at_);
}

ssize_t RequestStream::write(const char* bytes, size_t size) {
  out_.append(bytes, size);
  if (out_.size() >= kWrittenAtOnce && !flush()) return -1;
  return static_cast<ssize_t>(size);
}

bool RequestStream::flush() {
  if (out_.empty() || is_broken_) return !is_broken_;
  if (!is_writing_) write_until_ = Clock::now() + limits_.write;
  is_writing_ = true;
  is_broken_ = !channel_.write(out_.data(), out_.size(), write_until_);
  out_.clear();
  return !is_broken_;
}

}  // namespace ordered_gnn::lab

#endif
